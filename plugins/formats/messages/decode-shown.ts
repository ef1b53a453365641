import type { Block, JsonObject, MediaBlock } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { about, type Shown, textBlocks } from '../content.ts'

export const anyBlock = z.looseObject({ type: z.string() })
export const blocks = z.array(anyBlock)
export const content = z.union([z.string(), blocks], { error: 'expected a string or a list of blocks' })
export const text = z.looseObject({ text: z.string() })

const media = z.looseObject({
  source: z.looseObject({
    type: z.string(),
    media_type: optional(z.string()),
    data: optional(z.string()),
    url: optional(z.string()),
    file_id: optional(z.string()),
    content: z.unknown().optional(),
  }),
  title: optional(z.string()),
  context: optional(z.string()),
})
const searchResult = z.looseObject({
  source: optional(z.string()),
  title: optional(z.string()),
  content: optional(blocks),
})

/** What a block becomes that has no canonical form. `field` is the path of the word that says so. */
export type Unknown<T extends Block> = (block: JsonObject, field: string) => T[]

/** A block of words or media. What holds blocks of its own becomes those, with what is said of it before them. */
export function readShown<T extends Block>(
  block: z.infer<typeof anyBlock>,
  at: string,
  unknown: Unknown<T>,
): (Shown | T)[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: checked(text, block, at).text }]
    case 'image':
    case 'document':
      return readMedia(block.type, block, at, unknown)
    case 'search_result': {
      const { source, title, content: parts = [] } = checked(searchResult, block, at)
      return [...words(title, source), ...readParts(parts, `${at}.content`, unknown)]
    }
    default:
      return unknown(block, `${at}.type`)
  }
}

function readMedia<T extends Block>(
  type: 'image' | 'document',
  block: JsonObject,
  at: string,
  unknown: Unknown<T>,
): (Shown | T)[] {
  const { source, title, context } = checked(media, block, at)
  const shown = (held: MediaBlock['source']): MediaBlock[] => [
    { type, source: held, ...(title !== undefined && { title }), ...(context !== undefined && { context }) },
  ]
  switch (source.type) {
    case 'base64':
      return shown({ data: present(source.data, `${at}.source.data`), mediaType: source.media_type ?? '' })
    case 'url':
      return shown({ url: present(source.url, `${at}.source.url`) })
    case 'file':
      return shown({ fileId: present(source.file_id, `${at}.source.file_id`) })
    case 'text': {
      const data = Buffer.from(present(source.data, `${at}.source.data`), 'utf8').toString('base64')
      return shown({ data, mediaType: source.media_type ?? 'text/plain' })
    }
    case 'content': {
      const parts = checked(content, source.content, `${at}.source.content`)
      return [...words(title, context), ...readParts(parts, `${at}.source.content`, unknown)]
    }
    default:
      return unknown(block, `${at}.source.type`)
  }
}

const readParts = <T extends Block>(parts: z.infer<typeof content>, at: string, unknown: Unknown<T>): (Shown | T)[] =>
  typeof parts === 'string' ? textBlocks(parts) : parts.flatMap((part, i) => readShown(part, `${at}[${i}]`, unknown))

const words = (...said: readonly (string | undefined)[]): Shown[] => about(...said).flatMap(textBlocks)

function present(value: string | undefined, at: string): string {
  if (value === undefined) throw badRequest(at, 'is missing')
  return value
}
