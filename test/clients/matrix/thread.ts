import { isObject, type JsonObject } from 'deflector'
import type { Reply, VendorCall } from '../../support/upstream.ts'

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/**
 * The last call of a vendor as it understands it. In a thread that it holds it knows the calls before, and what it said to
 * them; only what is new goes over the wire.
 */
export function lastOf(calls: readonly VendorCall[], replies: readonly Reply[]): JsonObject {
  const bodies = calls.map(({ body }) => body ?? {})
  const last = bodies.at(-1) ?? {}
  if (!isObject(last.thread) || last.thread.type !== 'continue') return last
  const messages = bodies.flatMap((body, at) => [
    ...listOf(body.messages),
    ...(at < bodies.length - 1 ? [{ role: 'assistant', content: callsOf(replies[at]) }] : []),
  ])
  return Object.assign({}, ...bodies, { messages })
}

const callsOf = (reply: Reply | undefined): readonly object[] =>
  (reply?.toolCalls ?? []).map(({ id, name, arguments: args }) => ({
    type: 'tool_use',
    id,
    name,
    input: JSON.parse(args),
  }))
