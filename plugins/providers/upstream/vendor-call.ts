import { isObject, type ProviderCall, ProviderError, parseLargeJson } from 'deflector'
import { eventFailure, statusFailure, type VendorError, vendorError } from './failure.ts'
import { type Connections, type Method, request } from './http.ts'
import { cleaned } from './mask.ts'
import { type Reply, readError } from './reply.ts'
import { wrongAnswer } from './wrong-answer.ts'

/** What all calls to one vendor for one thing have in common; made once. */
export interface Endpoint {
  readonly connections: Connections
  readonly url: URL
  /** Headers of every call, see `baseHeaders`. */
  readonly baseHeaders: Readonly<Record<string, string>>
  /** Instance name, for messages. */
  readonly name: string
  /** What the vendor speaks. */
  readonly dialect: string
  /** What the vendor was asked for, for messages: `chat-completions answer`. */
  readonly asked: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Is this parsed body a whole answer? Throws `ProviderError` when it reports a failure. */
  readonly isAnswer: (body: Record<string, unknown>) => boolean
  /** Does this parsed body describe a thing that the vendor holds, whose `error` is no failure of the call? */
  readonly describes?: ((body: Record<string, unknown>) => boolean) | undefined
  /** Does this refusal say, in the vendor's own way, that the prompt is longer than the model's window? */
  readonly tooLong?: ((error: VendorError) => boolean) | undefined
}

/** What is sent with one call, beside what its endpoint holds. */
export interface Sending {
  /** Where this call goes, if not where the endpoint says. */
  readonly url?: URL
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Default: POST. */
  readonly method?: Method
  /** Texts that a vendor may repeat and that must be shown to no one else. */
  readonly secrets: readonly string[]
}

/** The vendor's reply under a status of success. Throws only `ProviderError`. */
export async function sent(
  call: Pick<ProviderCall, 'headers' | 'cancellation'>,
  { connections, url, baseHeaders, name, dialect, now, tooLong }: Endpoint,
  { url: own = url, method, headers, body, secrets }: Sending,
): Promise<Reply> {
  const { headers: client, cancellation } = call
  const reply = await request(connections, { method, url: own, baseHeaders, headers, client, body, cancellation })
  if (reply.status >= 200 && reply.status <= 299) return reply
  const text = await readError(reply)
  throw statusFailure({ ...reply, text }, { name, dialect, now: now(), secrets, tooLong })
}

/** A byte order mark, which some hosts write before their JSON, is no part of it. */
export const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** An answer as JSON, parsed. Throws `ProviderError` for what is none and for a failure under a status of success. */
export async function answerIn(
  bytes: Buffer,
  { name, dialect, asked, isAnswer, describes }: Endpoint,
  { secrets }: Pick<Sending, 'secrets'>,
): Promise<Record<string, unknown>> {
  let body: unknown
  try {
    body = await parsed(bytes)
  } catch {
    throw wrongAnswer(name, bytes.length === 0 ? 'sent an empty answer' : 'sent an answer that is no JSON')
  }
  if (describes && isObject(body) && describes(body)) return body
  // A vendor that says why it failed is believed, as it is where a stream begins with the same words.
  if (vendorError(body, isAnswer)) {
    const said = eventFailure(bytes.toString('utf8'), { name, dialect, secrets })
    throw said ?? wrongAnswer(name, 'reported a failure')
  }
  if (!isObject(body) || !isAnswer(body)) throw wrongAnswer(name, `sent JSON that is no ${asked}`)
  return body
}

/** Ends a reply whose body has a type that cannot be read. */
export function refuseType(reply: Reply, name: string, secrets: readonly string[]): never {
  const type = cleaned(reply.headers['content-type'] ?? 'no content type', secrets).slice(0, 80)
  const error = new ProviderError('protocol', `${name} answered with ${type}`, {
    status: reply.status,
    fault: 'the vendor answered with a content type that cannot be read',
  })
  reply.cancel(error)
  throw error
}

/** Bytes above which an answer is worth the turns of the event loop. */
const LARGE_ANSWER = 128 << 10

/** Of two members with one name the last counts: a vendor's answer is the vendor's to spell. */
const parsed = (bytes: Buffer): unknown =>
  bytes.length > LARGE_ANSWER ? parseLargeJson(bytes, { repeats: 'last' }) : JSON.parse(bytes.toString('utf8'))
