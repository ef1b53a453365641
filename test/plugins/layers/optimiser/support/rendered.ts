import MarkdownIt from 'markdown-it'

/** What a reader of Markdown makes of a text, without what minifying may take away. */
export interface Rendered {
  /** The page, its spaces made equal, without comments, rules and drawn lines. */
  readonly page: string
  /** Code, in fences, by indentation and in lines. */
  readonly code: readonly string[]
  readonly links: readonly string[]
}

const markdown = new MarkdownIt({ html: true })

type Token = ReturnType<typeof markdown.parse>[number]

export function rendered(text: string): Rendered {
  const tokens = all(markdown.parse(text, {}))
  const page = markdown
    .render(text)
    .replace(/<!-->|<!--->|<!--[\s\S]*?-->/g, ' ')
    .replace(/<hr>/g, ' ')
    .replace(/<p>=+<\/p>/g, ' ')
    .replace(/[─-▟⎯―]/g, ' ')
    .replace(/<p>\s*<\/p>/g, ' ')
    .replace(/\s*(<[^>]+>)\s*/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  return {
    page,
    code: tokens.filter(({ type }) => /^(?:fence|code_block|code_inline)$/.test(type)).map(({ content }) => content),
    links: tokens.flatMap(token => ['href', 'src'].flatMap(name => token.attrGet(name) ?? []).map(String)),
  }
}

const all = (tokens: readonly Token[]): Token[] => tokens.flatMap(token => [token, ...all(token.children ?? [])])
