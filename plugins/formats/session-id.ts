import { isObject } from 'deflector'
import { badRequest } from './body.ts'

/** Fields that may hold a session id, at the top of a body and under `metadata`; the first one that is set counts. */
export const SESSION_FIELDS = ['session_id', 'thread_id', 'conversation_id'] as const

/** Bytes of a session id. An empty one is none: it would silently mean the scope that all share. */
export const SESSION_LIMIT = 512

/** An integer is another session than its digits as a string. Beyond 2^53 two of them could read as the same number. */
export type SessionId = string | number

export function isSessionId(value: unknown): value is SessionId {
  if (typeof value !== 'string') return Number.isSafeInteger(value)
  return value !== '' && value.length <= SESSION_LIMIT && Buffer.byteLength(value) <= SESSION_LIMIT
}

/** The session id in a body: top-level fields first, then those under `metadata`. Throws `bad_request` for what is none. */
export function sessionOf(body: Readonly<Record<string, unknown>>): SessionId | undefined {
  let found: SessionId | undefined
  for (const [place, path] of [
    [body, ''],
    [body.metadata, 'metadata.'],
  ] as const) {
    if (!isObject(place)) continue
    for (const field of SESSION_FIELDS) {
      const id = place[field]
      if (id === undefined || id === null) continue
      if (!isSessionId(id))
        throw badRequest(path + field, `must be a string of 1 to ${SESSION_LIMIT} bytes, or an integer`)
      found ??= id
    }
  }
  return found
}
