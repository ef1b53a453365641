import { isUtf8 } from 'node:buffer'
import { GatewayError } from './errors.ts'
import type { Prompt } from './exchange.ts'
import type { Format } from './format.ts'
import type { Call } from './host.ts'
import { parseJson, parseLargeJson } from './parse-json.ts'
import { promptOf } from './prompt.ts'
import { turn } from './turns.ts'

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
  const parsed = await readJson(bytes)
  const large = bytes.length > LARGE_BODY
  if (large) await turn()
  const prompt = promptOf(format, bytes, parsed)
  if (large) await turn()
  return prompt
}

/** JSON from outside: nested no deeper than anybody means, a large text in turns of the event loop. Throws `bad_request`. */
export async function readJson(bytes: Uint8Array): Promise<unknown> {
  // Broken text would be mended in the key and forwarded as it is: two bodies, one key.
  if (!isUtf8(bytes)) throw new GatewayError('bad_request', 'the body is not UTF-8')
  return bytes.length > LARGE_BODY ? parseLargeJson(bytes) : parseJson(bytes)
}

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
