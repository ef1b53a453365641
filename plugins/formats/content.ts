import type { Block, MediaBlock, TextBlock, Turn } from 'deflector'
import { badRequest } from './body.ts'

/** Content as several dialects have it: one text, or a list of parts. Empty text says nothing and is left out. */
export function contentBlocks(
  content: unknown,
  at: string,
  decodePart: (part: unknown, at: string) => readonly Block[],
): Block[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return textBlocks(content)
  if (!Array.isArray(content)) throw badRequest(at, 'must be a string or an array of parts')
  return content.flatMap((part, index) => decodePart(part, `${at}[${index}]`))
}

export const textBlocks = (text: string): TextBlock[] => (text === '' ? [] : [{ type: 'text', text }])

/** Words and media: what a user's message and the result of a tool may show. */
export type Shown = TextBlock | MediaBlock

export const isShown = (block: Block): block is Shown => block.type === 'text' || isMedia(block)

export const isMedia = (block: Block): block is MediaBlock =>
  block.type === 'image' || block.type === 'document' || block.type === 'audio'

/**
 * The conversation with what the messages of the system at its head show beside words. Few vendors take that there, so it
 * is a turn of the system before all others.
 */
export const withHeadMedia = (media: readonly MediaBlock[], turns: Turn[]): Turn[] =>
  media.length === 0 ? turns : [{ role: 'system', blocks: media }, ...turns]

/** A document of plain text, with what is said of it before it. */
export const documentText = ({ title, context }: MediaBlock, data: string): string =>
  [...about(title, context), Buffer.from(data, 'base64').toString('utf8')].join('\n\n')

/** What is said of a document in words, for a format that has no fields for it; none or one. */
export function about(...said: readonly (string | undefined)[]): string[] {
  const words = said.filter(one => one !== undefined && one !== '').join('\n\n')
  return words === '' ? [] : [words]
}

/** The blocks of a tool's result. Throws `bad_request` for one that is not to be shown. */
export const resultBlocks = (blocks: readonly Block[], at: string): Shown[] =>
  blocks.map(block => {
    if (isShown(block)) return block
    throw badRequest(at, `a tool result cannot hold a ${block.type}`)
  })
