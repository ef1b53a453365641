import { type Answer, bytesAnswer, type ProviderCall, ProviderError, spliceJson, withFacts } from 'deflector'
import { passedUsage } from 'deflector/formats/passed-usage'
import { z } from 'zod'
import { publicHeaders } from './headers.ts'
import { mediaType, streamedMediaType } from './media-type.ts'
import type { StreamFacts } from './stream.ts'
import { streamed } from './streamed.ts'
import { isBelow } from './url.ts'
import { type Endpoint, type Sending, sent } from './vendor-call.ts'

const schema = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().startsWith('/'),
  contentType: z.string().optional(),
  modelAt: z.tuple([z.number(), z.number()]).optional(),
})

export interface Passed extends z.output<typeof schema> {
  readonly url: URL
  readonly body: Uint8Array
}

/** Where a call goes that is passed through, and its body: the client's own, with the model that its alias stands for. */
export function passedCall({ prompt, model }: ProviderCall, base: URL): Passed {
  const call = schema.parse(prompt.body)
  const url = new URL(base)
  url.pathname += call.path
  if (!isBelow(url, base)) throw new ProviderError('unsayable', 'the path leads elsewhere', { param: 'path' })
  const renamed = prompt.model !== undefined && model !== undefined && model !== prompt.model
  return { ...call, url, body: renamed ? withModel(prompt.bytes, model, call.modelAt) : prompt.bytes }
}

/** `at`: where the name stands in a form. */
function withModel(bytes: Uint8Array, model: string, at: readonly [number, number] | undefined): Uint8Array {
  if (!at) return spliceJson(bytes, { model: JSON.stringify(model) })
  return Buffer.concat([bytes.subarray(0, at[0]), Buffer.from(model), bytes.subarray(at[1])])
}

export interface PassEndpoint extends Endpoint, Pick<StreamFacts, 'idleMs' | 'clock'> {}

/** One such call, whatever the vendor replies; a stream that was asked for comes event by event. Throws only `ProviderError`. */
export async function passThrough(
  call: ProviderCall,
  endpoint: PassEndpoint,
  { body, ...sending }: Sending,
  { method, contentType }: Passed,
): Promise<Answer> {
  const headers = contentType === undefined ? sending.headers : { ...sending.headers, 'content-type': contentType }
  const { secrets } = sending
  const hasBody = body !== undefined && body.length > 0
  const reply = await sent(call, endpoint, { ...sending, headers, method, ...(hasBody && { body }) })
  if (call.stream && (await streamedMediaType(reply)) === 'text/event-stream') {
    const { dialect: name, idleMs, clock } = endpoint
    const format = { name, streamDecoder: () => call.prompt.format.streamDecoder() }
    const facts = { format, name: endpoint.name, idleMs, clock, secrets }
    return streamed(reply, facts, publicHeaders(reply.headers, secrets))
  }
  const type = reply.headers['content-type'] ?? 'application/octet-stream'
  const bytes = await reply.bytes()
  // A look at what was made before, such as a batch, tells again what that took.
  const usage = method === 'POST' && mediaType(reply) === 'json' ? passedUsage(bytes) : undefined
  const answer = bytesAnswer(bytes, { contentType: type, ...(usage && { usage }) })
  return withFacts(answer, { headers: publicHeaders(reply.headers, secrets) })
}
