import { type Dialect, isObject, parseLargeJson } from 'deflector'
import { badRequest } from './body.ts'
import { dialectQuery } from './dialect-query.ts'
import { passedState, stateInReply } from './passed-state.ts'
import { isPlainPath } from './vendor-path.ts'

/** The operation of calls to a vendor's other endpoints: only a vendor of the same dialect has them. */
export const passOf = (dialect: string): string => `${dialect} endpoints`

/** A call that is passed through, as the body of its prompt says it; the prompt's bytes are the client's body. */
export interface PassedCall {
  readonly method: string
  /** Behind the version: `/files/file-1`. */
  readonly path: string
  readonly contentType: string | undefined
}

const VERSION = /^\/v1(?=\/)/

/**
 * A dialect for calls that nothing is known of but where they go: bodies are files and forms as well as JSON, of which a
 * model is read and no more. Errors are those of the vendor's dialect.
 */
export function passing(dialect: Dialect, method: string): Dialect {
  const { name, encodeError, encodeStreamError, framing, headers } = dialect
  return {
    stateIn: stateInReply,
    name,
    ...(headers && { headers }),
    async parseBody(bytes, { headers }) {
      if (bytes.length === 0 || !/^application\/json\b/i.test(headers['content-type'] ?? '')) return undefined
      return parseLargeJson(bytes)
    },
    readHead(given, { path, query, headers }) {
      const behind = path.replace(VERSION, '')
      if (!isPlainPath(behind))
        throw badRequest('path', 'leave out dot segments, backslashes, escaped slashes and control characters')
      const call: PassedCall = { method, path: behind, contentType: headers['content-type'] }
      const model = isObject(given) && typeof given.model === 'string' ? given.model : undefined
      const operation = passOf(name)
      const state = passedState({ method, path: behind, given, dialect })
      return {
        body: { ...call },
        stream: false,
        operation,
        ...(state && { state }),
        ...(model !== undefined && { model }),
        ...dialectQuery(query),
      }
    },
    encodeError,
    encodeStreamError,
    framing,
  }
}
