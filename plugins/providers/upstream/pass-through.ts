import { type Answer, bytesAnswer, type ProviderCall, ProviderError, spliceJson, withFacts } from 'deflector'
import { passedUsage } from 'deflector/formats/passed-usage'
import { z } from 'zod'
import { publicHeaders, type ReplyHeaders } from './headers.ts'
import { unkeyed } from './mask.ts'
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
  modelInPath: z.tuple([z.number(), z.number()]).optional(),
  modelPrefix: z.string().optional(),
})

export interface Passed extends z.output<typeof schema> {
  readonly url: URL
  readonly body: Uint8Array
}

/** Where a call goes that is passed through, and its body: the client's own, with the model that its alias stands for. */
export function passedCall({ prompt, model }: ProviderCall, base: URL): Passed {
  const call = schema.parse(prompt.body)
  const renamed = prompt.model !== undefined && model !== undefined && model !== prompt.model
  const { path, body } = renamed ? withModel(prompt.bytes, model, call) : { path: call.path, body: prompt.bytes }
  const url = new URL(base)
  url.pathname = url.pathname.replace(/\/$/, '') + path
  if (!isBelow(url, base)) throw new ProviderError('unsayable', 'the path leads elsewhere', { param: 'path' })
  return { ...call, path, url, body }
}

/** The model's name stands in the path, in a form or in a JSON body. */
function withModel(body: Uint8Array, model: string, call: z.output<typeof schema>): Pick<Passed, 'path' | 'body'> {
  const { path, modelAt: inForm, modelInPath: inPath, modelPrefix = '' } = call
  if (inPath) return { path: path.slice(0, inPath[0]) + encodeURIComponent(model) + path.slice(inPath[1]), body }
  if (!inForm) return { path, body: spliceJson(body, { model: JSON.stringify(modelPrefix + model) }) }
  return { path, body: Buffer.concat([body.subarray(0, inForm[0]), Buffer.from(model), body.subarray(inForm[1])]) }
}

export interface PassEndpoint extends Endpoint, Pick<StreamFacts, 'idleMs' | 'clock'> {
  /** See `HttpVendor.shows`. */
  readonly shows?: (headers: ReplyHeaders) => Readonly<Record<string, string>>
}

/** One such call, whatever the vendor replies; a stream that was asked for comes event by event. Throws only `ProviderError`. */
export async function passThrough(
  call: ProviderCall,
  endpoint: PassEndpoint,
  { body, ...sending }: Sending,
  { method, contentType }: Passed,
): Promise<Answer> {
  const headers = contentType === undefined ? sending.headers : { ...sending.headers, 'content-type': contentType }
  const { secrets } = sending
  const shownBy = (given: ReplyHeaders): Record<string, string> => {
    const shown = publicHeaders(given, secrets)
    for (const [name, value] of Object.entries(endpoint.shows?.(given) ?? {})) shown[name] = unkeyed(value, secrets)
    return shown
  }
  const hasBody = body !== undefined && body.length > 0
  const reply = await sent(call, endpoint, { ...sending, headers, method, ...(hasBody && { body }) })
  if (call.stream && (await streamedMediaType(reply)) === 'text/event-stream') {
    const { dialect: name, idleMs, clock } = endpoint
    const format = { name, streamDecoder: () => call.prompt.format.streamDecoder() }
    const facts = { format, name: endpoint.name, idleMs, clock, secrets }
    return streamed(reply, facts, shownBy(reply.headers))
  }
  const type = reply.headers['content-type'] ?? 'application/octet-stream'
  const bytes = await reply.bytes()
  // A look at what was made before, such as a batch, tells again what that took.
  const usage = method === 'POST' && mediaType(reply) === 'json' ? passedUsage(bytes) : undefined
  const answer = bytesAnswer(bytes, { contentType: type, ...(usage && { usage }) })
  return withFacts(answer, { headers: shownBy(reply.headers) })
}
