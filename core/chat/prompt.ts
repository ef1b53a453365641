import { isUtf8 } from 'node:buffer'
import { GatewayError } from '../errors.ts'
import type { Prompt } from '../exchange.ts'
import type { Call } from '../host.ts'
import { parseJson, parseLargeJson } from '../json/parse.ts'
import { nextTurn } from '../json/time-slices.ts'
import type { Chat, JsonObject } from './canonical.ts'
import type { Format } from './format.ts'

/** A prompt whose canonical form is decoded when somebody asks for it. */
export const promptOf = (format: Format, bytes: Uint8Array, parsed: unknown): Prompt =>
  new ReadPrompt(format, bytes, parsed)

/**
 * A class, because V8 makes a new shape for each object literal with a getter in it, and those shapes hold what the
 * getter closes over until the next full collection.
 */
class ReadPrompt implements Prompt {
  readonly body: JsonObject
  readonly model: string | undefined
  readonly stream: boolean
  readonly session: string | undefined
  #chat: Chat | undefined

  constructor(
    readonly format: Format,
    readonly bytes: Uint8Array,
    parsed: unknown,
  ) {
    const { body, model, stream, session } = format.readHead(parsed)
    this.body = body
    this.model = model
    this.stream = stream
    this.session = session
  }

  get chat(): Chat {
    this.#chat ??= this.format.decodePrompt(this.body)
    return this.#chat
  }
}

/** Bodies above this are parsed piece by piece, so that nobody else waits for them. */
const LARGE_BODY = 128 << 10
/** RFC 8259 lets a reader ignore it at the head of a text; `JSON.parse` does not. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * The prompt that a call's body holds; a byte order mark before it is no part of it. `limit`: bytes of the body, the
 * listener's own when absent. Throws `bad_request`, and what `Call.body` throws.
 */
export async function readPrompt(call: Pick<Call, 'body'>, format: Format, limit?: number): Promise<Prompt> {
  const bytes = withoutMark(await call.body(limit))
  // Broken text would be mended in the key and forwarded as it is: two bodies, one key.
  if (!isUtf8(bytes)) throw new GatewayError('bad_request', 'the body is not UTF-8')
  const large = bytes.length > LARGE_BODY
  const parsed = large ? await parseLargeJson(bytes) : parseJson(bytes)
  if (large) await nextTurn()
  const prompt = promptOf(format, bytes, parsed)
  if (large) await nextTurn()
  return prompt
}

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
