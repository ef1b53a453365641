import { type BytesAnswer, bytesAnswer, type ProviderCall, ProviderError, spliceJson, withFacts } from 'deflector'
import { z } from 'zod'
import { publicHeaders } from './headers.ts'
import { isBelow } from './url.ts'
import { type Endpoint, type Sending, sent } from './vendor-call.ts'

const schema = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().startsWith('/'),
  contentType: z.string().optional(),
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
  const body = renamed ? spliceJson(prompt.bytes, { model: JSON.stringify(model) }) : prompt.bytes
  return { ...call, url, body }
}

/** One such call, whatever the vendor replies. Throws only `ProviderError`. */
export async function passThrough(
  call: ProviderCall,
  endpoint: Endpoint,
  { body, ...sending }: Sending,
  { method, contentType }: Passed,
): Promise<BytesAnswer> {
  const headers = contentType === undefined ? sending.headers : { ...sending.headers, 'content-type': contentType }
  const hasBody = body !== undefined && body.length > 0
  const reply = await sent(call, endpoint, { ...sending, headers, method, ...(hasBody && { body }) })
  const type = reply.headers['content-type'] ?? 'application/octet-stream'
  return withFacts(bytesAnswer(await reply.bytes(), { contentType: type }), { headers: publicHeaders(reply.headers) })
}
