import { type BytesAnswer, bytesAnswer, withFacts } from 'deflector'
import { z } from 'zod'

/** A stored answer: one line of JSON, then its bytes. */
const VERSION = 1
const NEWLINE = 0x0a

const headSchema = z.compile(
  z.object({
    v: z.literal(VERSION),
    /** When it was stored, Unix seconds. */
    at: z.number(),
    /** Length of the body: a value cut short is found out before it is served. */
    bytes: z.number(),
    type: z.string(),
    provider: z.string().optional(),
    usage: z.object({ input: z.number(), output: z.number() }).optional(),
  }),
)

/** `at`: Unix seconds. */
export function encodeEntry({ bytes, contentType, usage, facts }: BytesAnswer, at: number): Uint8Array {
  const { provider } = facts
  const used = usage && { input: usage.input, output: usage.output }
  const head = { v: VERSION, at, bytes: bytes.length, type: contentType, provider, usage: used }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes])
}

/** Throws on what is no entry. */
export function decodeEntry(value: Uint8Array): { readonly answer: BytesAnswer; readonly at: number } {
  const all = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const end = all.indexOf(NEWLINE)
  const { at, bytes, type, provider, usage } = headSchema.parse(JSON.parse(all.toString('utf8', 0, Math.max(0, end))))
  const body = all.subarray(end + 1)
  if (body.length !== bytes) throw new Error('the entry is not as long as it says')
  const answer = bytesAnswer(body, { contentType: type, ...(usage && { usage }) })
  return { answer: withFacts(answer, { provider }), at }
}
