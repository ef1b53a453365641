import { isUtf8 } from 'node:buffer'
import type { Call } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../json/object.ts'
import { parseJson, parseLargeJson } from '../json/parse.ts'
import { inTurns } from '../json/steps.ts'
import { nextTurn } from '../json/time-slices.ts'
import type { Chat } from './canonical.ts'
import { CHAT, type Dialect, type HeadCall, type VendorState } from './dialect.ts'
import { type ChatFormat, isChatFormat, type Prompt } from './format.ts'

/** A body without a call around it: its dialect reads nothing but the body. */
export const NO_CALL: HeadCall = { path: '', params: {}, query: new URLSearchParams(), headers: {} }

/** A prompt whose canonical form is decoded on first use. Throws `GatewayError('bad_request')`. */
export const promptOf = (dialect: Dialect, bytes: Uint8Array, parsed: unknown, call: HeadCall = NO_CALL): Prompt =>
  new ReadPrompt(dialect, bytes, parsed, call)

/** No vendor has a longer name. Prices, cooldowns, averages and logs are kept by it, so that its length is memory. */
const LONGEST_MODEL = 2048

/**
 * A class, because V8 makes a new shape for each object literal with a getter in it, and those shapes hold what the
 * getter closes over until the next full collection.
 */
class ReadPrompt implements Prompt {
  readonly body: JsonObject
  readonly model: string | undefined
  readonly stream: boolean
  readonly session: string | number | undefined
  readonly operation: string
  readonly endpoint: string | undefined
  readonly state: VendorState | undefined
  readonly query: string
  #chat: Chat | undefined

  constructor(
    readonly dialect: Dialect,
    readonly bytes: Uint8Array,
    parsed: unknown,
    call: HeadCall,
  ) {
    const { body, model, stream, session, operation, endpoint, state, query } = dialect.readHead(parsed, call)
    if (model !== undefined && model.length > LONGEST_MODEL)
      throw new GatewayError('bad_request', `model: must have ${LONGEST_MODEL} characters at most`, { param: 'model' })
    this.body = body
    this.model = model
    this.stream = stream
    this.session = session
    this.operation = operation ?? CHAT
    this.endpoint = endpoint
    this.state = state
    this.query = query ?? ''
  }

  get format(): ChatFormat {
    if (isChatFormat(this.dialect)) return this.dialect
    throw new GatewayError('internal', `the dialect ${this.dialect.name} holds no conversations`)
  }

  get chat(): Chat {
    this.#chat ??= this.format.decodePrompt(this.body, this.bytes)
    return this.#chat
  }

  async chatInTurns(): Promise<Chat> {
    this.#chat ??= await inTurns(this.format.decodePrompt, this.body, this.bytes)
    return this.#chat
  }
}

/** Bytes above which a body is parsed piece by piece, so that other requests need not wait for it. */
const LARGE_BODY = 128 << 10
/** RFC 8259 lets a reader ignore it at the head of a text; `JSON.parse` does not. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

const NO_BODY = new TextEncoder().encode('{}')

/**
 * The prompt that a call's body holds; a byte order mark before it is no part of it. `limit`: bytes of the body, the
 * listener's own when absent. Throws `bad_request`, and what `Call.body` throws.
 */
export async function readPrompt(
  call: Pick<Call, 'body'> & HeadCall,
  dialect: Dialect,
  limit?: number,
): Promise<Prompt> {
  if (dialect.bodiless) return promptOf(dialect, NO_BODY, {}, call)
  const given = await call.body(limit)
  const bytes = dialect.parseBody ? given : withoutMark(given)
  const parsed = dialect.parseBody ? await dialect.parseBody(bytes, call) : await readJson(bytes)
  const large = bytes.length > LARGE_BODY
  if (large) await nextTurn()
  const prompt = promptOf(dialect, bytes, parsed, call)
  if (large) await nextTurn()
  return prompt
}

/** JSON from outside, with a limit on its depth; a large text in turns of the event loop. Throws `bad_request`. */
export async function readJson(bytes: Uint8Array): Promise<unknown> {
  // Broken text would be mended in the key and forwarded as it is: two bodies, one key.
  if (!isUtf8(bytes)) throw new GatewayError('bad_request', 'the body is not UTF-8')
  return bytes.length > LARGE_BODY ? parseLargeJson(bytes) : parseJson(bytes)
}

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
