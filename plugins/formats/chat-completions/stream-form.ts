import { type Asked, isObject, type ReplyFacts, refiller, type WireEvent } from 'deflector'
import { REPEATED, type Repeated } from '../repeated.ts'
import { streamForm } from '../stream-form.ts'
import { ownValue } from './answer.ts'
import { chunksOfWhole } from './chunks-of-whole.ts'
import { asksUsage } from './stream-encoder.ts'
import { wholeOfChunks } from './whole-of-chunks.ts'

export const CHAT_TEXTS = [
  'content',
  'reasoning_content',
  'reasoning',
  'refusal',
  'arguments',
  'input',
  'text',
] as const
/** Random letters by which a vendor hides how long its texts are. */
export const PADDING = /,\s*"obfuscation":\s*"[^"\\]*"/

export const chatStreamForm = streamForm({
  texts: CHAT_TEXTS,
  noise: PADDING,
  renewer,
  isFor,
  toWhole: wholeOfChunks,
  fromWhole: body => chunksOfWhole(body),
})

const refill = refiller('id', 'created', ...REPEATED)

function renewer(reply: ReplyFacts, { body }: Asked): (data: string) => string {
  const own = (key: 'id' | 'created' | Repeated): string => ownValue(key, reply, body)
  return data =>
    data.trimStart().startsWith('{') ? Buffer.from(refill(Buffer.from(data), own)).toString('utf8') : data
}

/** A client that did not ask for usage does not get the chunk that holds nothing else. */
function isFor({ data }: WireEvent, asked: Asked): boolean {
  if (asksUsage(asked) || !/"choices":\s*\[\s*\]/.test(data)) return true
  const chunk: unknown = JSON.parse(data)
  return !isObject(chunk) || !Array.isArray(chunk.choices) || chunk.choices.length > 0 || !isObject(chunk.usage)
}
