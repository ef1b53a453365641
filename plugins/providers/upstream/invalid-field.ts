import { isObject, type JsonObject } from 'deflector'

/** What a host refuses of a request: which field, as a path in the body, and why. */
interface InvalidField {
  readonly message: string
  readonly param?: string
}

/**
 * The first entry of a list of invalid fields, `{detail: [{loc: ['body', 'messages', 0], msg}]}`. Hosts that are written
 * with FastAPI refuse a request by one. `undefined` for any other body.
 */
export function invalidField({ detail }: JsonObject): InvalidField | undefined {
  const entries: unknown[] = Array.isArray(detail) ? detail : []
  for (const entry of entries) {
    if (!isObject(entry) || typeof entry.msg !== 'string' || entry.msg === '') continue
    const param = pathOf(entry.loc)
    return { message: entry.msg, ...(param !== '' && { param }) }
  }
  return undefined
}

/** The first step says whether the body, the query or a header is meant. */
function pathOf(loc: unknown): string {
  const steps: unknown[] = Array.isArray(loc) ? loc : []
  return steps
    .slice(1)
    .map(step => (typeof step === 'number' ? `[${step}]` : typeof step === 'string' ? `.${step}` : ''))
    .join('')
    .replace(/^\./, '')
}
