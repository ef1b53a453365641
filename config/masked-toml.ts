import { parseDocument } from '@decimalturn/toml-patch'
import { isSecretField, maskSecret, maskUrl } from './mask.ts'
import { ROWS } from './schema.ts'

/** A commented-out secret, and what looks like a key. */
const SECRET_IN_COMMENT = /(\w*(?:key|secret|token|password)\w*"?\s*[=:]\s*).+/i
const LONG_WORD = /[\w+/=.-]{16,}/g

/** The lines of a settings file, with its secrets masked as they are elsewhere. No line is added or lost. */
export function maskedLines(text: string): string[] {
  const lines = text.split('\n')
  const edits: Edit[] = []
  const walk = (node: unknown, path: readonly string[]): void => {
    if (Array.isArray(node)) for (const one of node) walk(one, path)
    if (!isNode(node)) return
    const at = [...path, ...namesOf(node)]
    if (node.type === 'String' && typeof node.value === 'string') {
      const masked = maskedString(node.value, at)
      if (masked !== node.value) edits.push({ ...node.loc, text: JSON.stringify(masked) })
    } else if (node.type === 'Comment') edits.push({ ...node.loc, change: maskedComment })
    for (const inside of [node.items, node.item, node.value]) if (typeof inside === 'object') walk(inside, at)
  }
  walk(parseDocument(text).cst, [])
  // From the last to the first, so that the places of the others stay what they are.
  for (const edit of edits.toSorted((a, b) => b.start.line - a.start.line || b.start.column - a.start.column))
    replace(lines, edit)
  return lines
}

interface Place {
  /** From 1. */
  readonly line: number
  readonly column: number
}

interface Edit {
  readonly start: Place
  readonly end: Place
  readonly text?: string
  readonly change?: (text: string) => string
}

function replace(lines: string[], { start, end, text, change }: Edit): void {
  const first = lines[start.line - 1] ?? ''
  const last = lines[end.line - 1] ?? ''
  const behind = last.slice(end.column)
  lines[start.line - 1] = first.slice(0, start.column) + (text ?? change?.(first.slice(start.column, end.column)) ?? '')
  // A text of several lines is masked in its first, and the others are empty.
  for (let line = start.line; line < end.line; line++) lines[line] = ''
  lines[end.line - 1] += behind
}

interface Node {
  readonly type: string
  readonly loc: { readonly start: Place; readonly end: Place }
  readonly key?: unknown
  readonly value?: unknown
  readonly items?: unknown
  readonly item?: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'loc' in value

/** `[a.b]` and `b = 1` have names; the parser keeps the one's in a node of its own. */
function namesOf({ key }: Node): readonly string[] {
  if (!isNode(key)) return []
  const names = isNode(key.item) ? key.item.value : key.value
  return Array.isArray(names) ? names.map(String) : []
}

function maskedString(value: string, path: readonly string[]): string {
  const full = path.join('.')
  const [key, row] = ROWS.find(([one]) => full === one || full.startsWith(`${one}.`)) ?? []
  if (row?.secret && (full === key || isSecretField(path.at(-1) ?? ''))) return maskSecret(value)
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? maskUrl(value) : value
}

const maskedComment = (comment: string): string =>
  comment
    .replace(SECRET_IN_COMMENT, '$1…')
    .replace(LONG_WORD, word => (/\d/.test(word) && /[a-z]/i.test(word) ? '…' : word))
