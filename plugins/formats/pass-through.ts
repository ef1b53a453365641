import { type ChatFormat, isObject, parseLargeJson } from 'deflector'
import { badRequest } from './body.ts'
import { dialectQuery } from './dialect-query.ts'
import { type FormText, formTexts } from './form-texts.ts'
import { passedState, stateInReply } from './passed-state.ts'
import { PassedStreamDecoder } from './passed-stream.ts'
import { isPlainPath } from './vendor-path.ts'

/** The operation of calls to a vendor's other endpoints: only a vendor of the same dialect has them. */
export const passOf = (dialect: string): string => `${dialect} endpoints`

/** A call that is passed through, as the body of its prompt says it; the prompt's bytes are the client's body. */
export interface PassedCall {
  readonly method: string
  /** Behind the version: `/files/file-1`. */
  readonly path: string
  readonly contentType: string | undefined
  /** Where the model's name stands in a body that is a form: from here to before there. */
  readonly modelAt?: readonly [number, number]
}

/** The texts of a form that the gateway reads. */
class Form {
  readonly model: FormText | undefined
  readonly isStreamed: boolean

  constructor(bytes: Uint8Array, contentType: string) {
    const texts = formTexts(bytes, contentType, ['model', 'stream'])
    this.model = texts.get('model')
    this.isStreamed = texts.get('stream')?.text === 'true'
  }
}

const VERSION = /^\/v1(?=\/)/

/**
 * A dialect for calls that nothing is known of but where they go: bodies are files and forms as well as JSON, of which is
 * read what model is asked, and whether the answer is streamed. All else is the vendor's dialect.
 */
export function passing(dialect: ChatFormat, method: string): ChatFormat {
  const { name } = dialect
  return {
    ...dialect,
    stateIn: stateInReply,
    async parseBody(bytes, { headers }) {
      const type = headers['content-type'] ?? ''
      if (bytes.length > 0 && /^application\/json\b/i.test(type)) return parseLargeJson(bytes)
      return new Form(bytes, type)
    },
    readHead(given, { path, query, headers }) {
      const behind = path.replace(VERSION, '')
      if (!isPlainPath(behind))
        throw badRequest('path', 'leave out dot segments, backslashes, escaped slashes and control characters')
      const form = given instanceof Form ? given : undefined
      const json = !form && isObject(given) ? given : {}
      const at = form?.model && ([form.model.start, form.model.end] as const)
      const call: PassedCall = {
        method,
        path: behind,
        contentType: headers['content-type'],
        ...(at && { modelAt: at }),
      }
      const model = form ? form.model?.text : typeof json.model === 'string' ? json.model : undefined
      const operation = passOf(name)
      const state = passedState({ method, path: behind, given: json, dialect })
      return {
        body: { ...call },
        stream: form?.isStreamed ?? (json.stream === true || json.stream_format === 'sse'),
        operation,
        ...(state && { state }),
        ...(model !== undefined && { model }),
        ...dialectQuery(query),
      }
    },
    streamDecoder: () => new PassedStreamDecoder(),
    passFrame: ({ wire }) => wire,
  }
}
