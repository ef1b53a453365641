import {
  type Answer,
  bytesAnswer,
  type Clock,
  type JsonObject,
  type Prompt,
  type ProviderCall,
  type StreamDecoder,
  type Usage,
  withFacts,
} from 'deflector'
import { publicHeaders } from './headers.ts'
import type { Method } from './http.ts'
import { mediaType, streamedMediaType } from './media-type.ts'
import type { Patches, Target } from './patches.ts'
import { streamed } from './streamed.ts'
import { withToldUsage } from './told-usage.ts'
import { answerIn, type Endpoint, refuseType, type Sending, sent, withoutMark } from './vendor-call.ts'

/** Something else than chat that a vendor can be asked for, and whose reply goes back as it came. */
export interface HttpOperation {
  /** Default: POST. Only a POST has a body. */
  readonly method?: Method
  /** Where calls go, from the `url` option. */
  url(base: string): URL
  /** Where this call goes, where the path names one thing of many. */
  at?(url: URL, prompt: Prompt): URL
  /** Is this parsed body an answer? Throws `ProviderError` when it reports a failure under status 200. */
  isAnswer(body: JsonObject): boolean
  /** Does this answer describe a thing that the vendor holds? An `error` in it is then that of the thing, not of the call. */
  describes?(body: JsonObject): boolean
  /** The tokens that an answer says it cost. */
  usageOf?(body: JsonObject): Usage | undefined
  /** Reads its streams, whose frames go to clients as they came. Default: it is not streamed. */
  readonly streamDecoder?: (() => StreamDecoder) | undefined
  /** What is changed in a body on its way; by default `basicPatches`. */
  readonly patches?: (body: JsonObject, target: Target) => Patches
}

export interface OperationEndpoint extends Endpoint {
  readonly operation: HttpOperation
  readonly idleMs: number
  readonly clock: Pick<Clock, 'after'>
}

/** One call of an operation. Throws only `ProviderError`. */
export async function attemptOperation(
  call: ProviderCall,
  endpoint: OperationEndpoint,
  sending: Sending,
): Promise<Answer> {
  const reply = await sent(call, endpoint, sending)
  const { secrets } = sending
  const { name, dialect, idleMs, clock } = endpoint
  const { streamDecoder } = endpoint.operation
  const isStreamed = call.stream && streamDecoder !== undefined
  const type = isStreamed ? await streamedMediaType(reply) : mediaType(reply)
  if (isStreamed && type === 'text/event-stream') {
    const format = { name: dialect, streamDecoder }
    return streamed(reply, { format, name, idleMs, clock, secrets }, publicHeaders(reply.headers, secrets))
  }
  if (type !== 'json') return refuseType(reply, name, secrets)
  const bytes = withoutMark(await reply.bytes())
  const body = await answerIn(bytes, endpoint, sending).catch(error => {
    throw withToldUsage(error, bytes)
  })
  const usage = endpoint.operation.usageOf?.(body)
  return withFacts(bytesAnswer(bytes, usage && { usage }), { headers: publicHeaders(reply.headers, secrets) })
}
