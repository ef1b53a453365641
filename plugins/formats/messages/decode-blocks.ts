import type { Block, JsonObject, MediaBlock, TextBlock } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { withCallProofs } from '../call-proof.ts'
import { exactJson } from '../exact-json.ts'
import { sentBack } from '../signature.ts'
import { canonicalId } from './ids.ts'

const object = z.record(z.string(), z.unknown())
const anyBlock = z.looseObject({ type: z.string() })
const content = z.union([z.string(), z.array(anyBlock)], { error: 'expected a string or a list of blocks' })

const text = z.looseObject({ text: z.string() })
const media = z.looseObject({
  source: z.looseObject({
    type: z.string(),
    media_type: optional(z.string()),
    data: optional(z.string()),
    url: optional(z.string()),
    file_id: optional(z.string()),
  }),
  title: optional(z.string()),
  context: optional(z.string()),
})
const thinking = z.looseObject({ thinking: z.string(), signature: optional(z.string()) })
const redacted = z.looseObject({ data: z.string() })
const toolUse = z.looseObject({ id: z.string(), name: z.string(), input: optional(z.unknown()) })
const toolResult = z.looseObject({
  tool_use_id: z.string(),
  content: optional(content),
  is_error: optional(z.boolean()),
})
const searchResult = z.looseObject({
  source: optional(z.string()),
  title: optional(z.string()),
  content: optional(z.array(z.looseObject({ text: optional(z.string()) }))),
})

/** The content of a message: a string or blocks. `at` is its path in the body. */
export function readContent(value: unknown, at: string): Block[] {
  const blocks = checked(content, value, at)
  if (typeof blocks === 'string') return [{ type: 'text', text: blocks }]
  return withCallProofs(
    'messages',
    blocks.map((block, i) => readBlock(block, `${at}[${i}]`)),
  )
}

/** The text of each block of `system`, in order. */
export function readSystem(value: unknown, at: string): string[] {
  const blocks = checked(content, value, at)
  if (typeof blocks === 'string') return [blocks]
  return blocks.map((block, i) => checked(text, block, `${at}[${i}]`).text)
}

function readBlock(block: z.infer<typeof anyBlock>, at: string): Block {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: checked(text, block, at).text }
    case 'image':
    case 'document':
      return readMedia(block.type, block, at) ?? opaque(block)
    case 'thinking': {
      const { thinking: words, signature } = checked(thinking, block, at)
      return { type: 'reasoning', text: words, ...(signature && sentBack('messages', signature)) }
    }
    case 'redacted_thinking': {
      const { signature, origin } = sentBack('messages', checked(redacted, block, at).data)
      return { type: 'reasoning', text: '', redacted: signature, origin }
    }
    case 'tool_use': {
      const { id, name, input } = checked(toolUse, block, at)
      return { type: 'tool_call', id: canonicalId(id), name, args: exactJson(input ?? {}) }
    }
    case 'tool_result': {
      const result = checked(toolResult, block, at)
      const blocks = readResult(result.content ?? [], `${at}.content`)
      return { type: 'tool_result', id: canonicalId(result.tool_use_id), blocks, isError: result.is_error ?? false }
    }
    default:
      return opaque(block)
  }
}

const opaque = (value: JsonObject): Block => ({ type: 'opaque', format: 'messages', value })

/** `undefined` for a source that the canonical shape has no word for. */
function readMedia(type: 'image' | 'document', block: JsonObject, at: string): MediaBlock | undefined {
  const { source, title, context } = checked(media, block, at)
  const rest = { ...(title !== undefined && { title }), ...(context !== undefined && { context }) }
  switch (source.type) {
    case 'base64':
      if (source.data === undefined) throw badRequest(`${at}.source.data`, 'is missing')
      return { type, source: { data: source.data, mediaType: source.media_type ?? '' }, ...rest }
    case 'url':
      if (source.url === undefined) throw badRequest(`${at}.source.url`, 'is missing')
      return { type, source: { url: source.url }, ...rest }
    case 'file':
      if (source.file_id === undefined) throw badRequest(`${at}.source.file_id`, 'is missing')
      return { type, source: { fileId: source.file_id }, ...rest }
    case 'text': {
      if (source.data === undefined) throw badRequest(`${at}.source.data`, 'is missing')
      const data = Buffer.from(source.data, 'utf8').toString('base64')
      return { type, source: { data, mediaType: source.media_type ?? 'text/plain' }, ...rest }
    }
    default:
      return undefined
  }
}

function readResult(value: z.infer<typeof content>, at: string): (TextBlock | MediaBlock)[] {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  return value.map((block, i) => {
    const here = `${at}[${i}]`
    if (block.type === 'text') return { type: 'text', text: checked(text, block, here).text }
    if (block.type === 'image' || block.type === 'document') {
      const found = readMedia(block.type, block, here)
      if (found) return found
    }
    if (block.type === 'search_result') {
      const { source, title, content: parts } = checked(searchResult, block, here)
      const lines = [title, source, ...(parts ?? []).map(part => part.text)]
      return { type: 'text', text: lines.filter(line => line !== undefined && line !== '').join('\n') }
    }
    // A result is never thrown away: what has no canonical form is shown to the model as it stands.
    return { type: 'text', text: JSON.stringify(object.parse(block)) }
  })
}
