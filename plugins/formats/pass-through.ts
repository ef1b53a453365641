import { type ChatFormat, type HeadCall, isObject, type JsonObject, parseLargeJson, type VendorState } from 'deflector'
import { badRequest } from './body.ts'
import { dialectQuery } from './dialect-query.ts'
import { type FormText, formTexts } from './form-texts.ts'
import { type PassedHead, passedState, stateInReply } from './passed-state.ts'
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
  /** The same of a model that stands in the path. */
  readonly modelInPath?: readonly [number, number]
  /** What stands before the name of a model in a JSON body. */
  readonly modelPrefix?: string
}

/** A model that a call names, and where. */
export interface NamedModel extends Pick<PassedCall, 'modelInPath' | 'modelPrefix'> {
  readonly model: string
}

/** How the vendors of a dialect name what they hold. */
export interface Resources {
  /** What of a path is the provider's to say, because its base URL ends with it. */
  readonly version?: RegExp
  /** Is the body of such a call a file or a piece of one, whatever its content type says? Default: the type tells. */
  isFile?(call: HeadCall): boolean
  modelOf(path: string, given: JsonObject): NamedModel | undefined
  /** What a call makes at the vendor, or needs there. Throws `GatewayError('bad_request')` for an id that is none. */
  stateOf(call: PassedHead): VendorState | undefined
  /** See `Dialect.stateIn`. */
  stateIn(reply: JsonObject): string[]
}

/** Ids are members of a body, and parts of a path behind its version. */
export const BY_ID: Resources = {
  version: /^\/v1(?=\/)/,
  modelOf: (_, { model }) => (typeof model === 'string' ? { model } : undefined),
  stateOf: passedState,
  stateIn: stateInReply,
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

/** Where calls go that are passed through. */
export interface PassedEndpoint {
  readonly method: string
  /** See `PromptHead.endpoint`. */
  readonly endpoint: string
  readonly resources?: Resources | undefined
}

/**
 * A dialect for calls that nothing is known of but where they go: bodies are files and forms as well as JSON, of which is
 * read what model is asked, and whether the answer is streamed. All else is the vendor's dialect.
 */
export function passing(dialect: ChatFormat, { method, endpoint, resources = BY_ID }: PassedEndpoint): ChatFormat {
  const { name } = dialect
  const { version } = resources
  return {
    ...dialect,
    stateIn: reply => resources.stateIn(reply),
    async parseBody(bytes, call) {
      const type = call.headers['content-type'] ?? ''
      const isFile = resources.isFile?.(call) ?? !/^application\/json\b/i.test(type)
      return isFile || bytes.length === 0 ? new Form(bytes, type) : parseLargeJson(bytes)
    },
    readHead(given, { path, query, headers }) {
      const behind = version ? path.replace(version, '') : path
      if (!isPlainPath(behind))
        throw badRequest('path', 'leave out dot segments, backslashes, escaped slashes and control characters')
      const form = given instanceof Form ? given : undefined
      const json = !form && isObject(given) ? given : {}
      const at = form?.model && ([form.model.start, form.model.end] as const)
      const { model = form?.model?.text, ...named } = resources.modelOf(behind, json) ?? {}
      const call: PassedCall = {
        method,
        path: behind,
        contentType: headers['content-type'],
        ...(at && { modelAt: at }),
        ...named,
      }
      const operation = passOf(name)
      const state = resources.stateOf({ method, path: behind, given: json, dialect })
      return {
        body: { ...call },
        stream: form?.isStreamed ?? (json.stream === true || json.stream_format === 'sse'),
        operation,
        endpoint,
        ...(state && { state }),
        ...(model !== undefined && { model }),
        ...dialectQuery(query),
      }
    },
    streamDecoder: () => new PassedStreamDecoder(),
    passFrame: ({ wire }) => wire,
  }
}
