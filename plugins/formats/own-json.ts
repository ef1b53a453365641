import { type Call, GatewayError, isObject } from 'deflector'
import { badRequest } from './body.ts'

/** Every page in a browser may post text without asking; JSON of another origin it may not. Throws `unsupported_media`. */
export function jsonOnly({ 'content-type': type = '' }: Readonly<Record<string, string | undefined>>): void {
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new GatewayError('unsupported_media', 'the body must be sent with content-type: application/json')
}

/** The JSON object in the body of a call, of at most `limit` bytes. An empty body says nothing, as `{}` does. */
export async function readOwnJson(call: Call, limit: number): Promise<Record<string, unknown>> {
  jsonOnly(call.headers)
  const bytes = await call.body(limit)
  if (bytes.length === 0) return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    throw badRequest('', 'is not JSON')
  }
  if (!isObject(parsed)) throw badRequest('', 'must be a JSON object')
  return parsed
}
