import { defineLayer, type Exchange, GatewayError } from 'deflector'
import { SESSION_LIMIT } from 'deflector/formats/session-id'
import { z } from 'zod'

/** Finds the session id of a request: from a header, else from the body, else none (the global scope). */
export default defineLayer({
  name: 'session',
  label: 'l0',
  summary: 'finds the session scope of a request',
  options: z.strictObject({
    headers: z
      .array(z.string().min(1).toLowerCase())
      .default(['x-service-session-id', 'x-thread-id', 'x-session-id', 'x-conversation-id'])
      .describe('Headers that may hold the session id. The first one present counts, before the body.'),
  }),
  apply({ name, hooks }, options) {
    hooks.receive.tapPromise(name, async exchange => {
      exchange.session = fromHeaders(exchange, options.headers) ?? (await exchange.read())?.session
    })
  },
})

function fromHeaders({ headers }: Exchange, names: readonly string[]): string | undefined {
  const name = names.find(name => headers[name] !== undefined)
  const id = name === undefined ? undefined : headers[name]
  if (id === undefined) return undefined
  const bytes = Buffer.byteLength(id)
  if (bytes >= 1 && bytes <= SESSION_LIMIT) return id
  throw new GatewayError('bad_request', `the header ${name} must hold a session id of 1 to ${SESSION_LIMIT} bytes`)
}
