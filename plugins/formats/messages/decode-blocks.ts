import type { Block, OpaqueBlock, Turn } from 'deflector'
import { z } from 'zod'
import { checked, optional } from '../body.ts'
import { withCallProofs } from '../call-proof.ts'
import { type Shown, textBlocks } from '../content.ts'
import { exactJson } from '../exact-json.ts'
import { sentBack } from '../signature.ts'
import { type anyBlock, content, readShown, text, type Unknown } from './decode-shown.ts'
import { canonicalId } from './ids.ts'

const thinking = z.looseObject({ thinking: z.string(), signature: optional(z.string()) })
const redacted = z.looseObject({ data: z.string() })
const toolUse = z.looseObject({ id: z.string(), name: z.string(), input: optional(z.unknown()) })
const toolResult = z.looseObject({
  tool_use_id: z.string(),
  content: optional(content),
  is_error: optional(z.boolean()),
})

/** What the vendor did while it answered. The words beside it say what came of it, so other vendors can do without. */
const OWN_DEEDS = /_tool_use$|_tool_result$|^fallback$/

/** Where a message stands, and what was found in it. */
interface Place {
  readonly at: string
  readonly role: Turn['role']
  /** The fields of blocks that no other format can say are added to it. */
  readonly lost: string[]
}

/** The content of a message: a string or blocks. */
export function readContent(value: unknown, { at, role, lost }: Place): Block[] {
  const blocks = checked(content, value, at)
  if (typeof blocks === 'string') return [{ type: 'text', text: blocks }]
  const opaque: Unknown<OpaqueBlock> = (block, field) => {
    const isDeed = role === 'assistant' && OWN_DEEDS.test(String(block.type))
    if (!isDeed) lost.push(field)
    return [{ type: 'opaque', format: 'messages', value: block }]
  }
  return withCallProofs(
    'messages',
    blocks.flatMap((block, i) => readBlock(block, `${at}[${i}]`, opaque)),
  )
}

/** The text of each block of `system`, in order. */
export function readSystem(value: unknown, at: string): string[] {
  const blocks = checked(content, value, at)
  if (typeof blocks === 'string') return [blocks]
  return blocks.map((block, i) => checked(text, block, `${at}[${i}]`).text)
}

function readBlock(block: z.infer<typeof anyBlock>, at: string, opaque: Unknown<OpaqueBlock>): Block[] {
  switch (block.type) {
    case 'thinking': {
      const { thinking: words, signature } = checked(thinking, block, at)
      return [{ type: 'reasoning', text: words, ...(signature && sentBack('messages', signature)) }]
    }
    case 'redacted_thinking': {
      const { signature, origin } = sentBack('messages', checked(redacted, block, at).data)
      return [{ type: 'reasoning', text: '', redacted: signature, origin }]
    }
    case 'tool_use': {
      const { id, name, input } = checked(toolUse, block, at)
      return [{ type: 'tool_call', id: canonicalId(id), name, args: exactJson(input ?? {}) }]
    }
    case 'tool_result': {
      const result = checked(toolResult, block, at)
      const blocks = readResult(result.content ?? '', `${at}.content`)
      return [{ type: 'tool_result', id: canonicalId(result.tool_use_id), blocks, isError: result.is_error ?? false }]
    }
    default:
      return readShown(block, at, opaque)
  }
}

/** A result is never thrown away: what has no canonical form is shown to the model as it stands. */
const asItStands: Unknown<Shown> = block => [{ type: 'text', text: JSON.stringify(block) }]

function readResult(value: z.infer<typeof content>, at: string): Shown[] {
  if (typeof value === 'string') return textBlocks(value)
  return value.flatMap((block, i) => readShown(block, `${at}[${i}]`, asItStands))
}
