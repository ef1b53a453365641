import {
  type Answer,
  type AnswerBlock,
  type AnswerEvent,
  type Clock,
  type Completion,
  type ProviderCall,
  ProviderError,
  type WholeAnswer,
  wholeAnswer,
} from 'deflector'
import { gaveUp } from './gave-up.ts'
import { publicHeaders } from './headers.ts'
import { mediaType, streamedMediaType } from './media-type.ts'
import { gathered, type StreamFacts } from './stream.ts'
import { streamed } from './streamed.ts'
import { withToldUsage } from './told-usage.ts'
import { answerIn, type Endpoint, refuseType, type Sending, sent, withoutMark } from './vendor-call.ts'
import type { VendorFormat } from './vendor-format.ts'
import { refuseVital } from './vital.ts'
import { wrongAnswer } from './wrong-answer.ts'

export interface ChatEndpoint extends Endpoint {
  readonly format: VendorFormat
  /** By what word does a whole answer say that the model came to none? */
  readonly gaveUp?: (body: Record<string, unknown>) => string | undefined
  /** Shown all that the vendor says. */
  readonly learn: (said: readonly (AnswerBlock | AnswerEvent)[]) => void
  readonly idleMs: number
  readonly clock: Pick<Clock, 'after'>
}

/** One call, one answer: whole or live, whatever the vendor chose to send. Throws only `ProviderError`. */
export async function attempt(call: ProviderCall, endpoint: ChatEndpoint, sending: Sending): Promise<Answer> {
  const { format, name, idleMs, clock, learn } = endpoint
  const reply = await sent(call, endpoint, sending)
  const shown = publicHeaders(reply.headers, sending.secrets)
  const record = call.prompt.dialect.name === format.name ? format.streamForm?.record() : undefined
  const client = call.prompt.dialect.name
  const translatedTo = client === format.name ? undefined : client
  const facts: StreamFacts = { format, name, idleMs, clock, secrets: sending.secrets, record, learn, translatedTo }
  switch (call.stream ? await streamedMediaType(reply) : mediaType(reply)) {
    case 'text/event-stream':
      if (call.stream) return streamed(reply, facts, shown)
      return gatheredWhole(await gathered(reply, facts), facts, shown)
    case 'json': {
      const bytes = withoutMark(await reply.bytes())
      return whole(bytes, call, endpoint, sending, shown).catch(error => {
        throw withToldUsage(error, bytes)
      })
    }
    default:
      return refuseType(reply, name, sending.secrets)
  }
}

/** A client of the vendor's own dialect gets all that the stream held. */
function gatheredWhole(
  completion: Completion,
  { format, record, name, translatedTo }: StreamFacts,
  headers: Record<string, string>,
): WholeAnswer {
  const text = record?.text()
  const bytes = text === undefined ? undefined : format.streamForm?.toWhole(text)
  const answer = wholeAnswer({ completion, headers, ...(bytes && { wire: { format: format.name, bytes } }) })
  const word = completion.stop.gaveUp
  if (word !== undefined)
    throw gaveUp(name, word, { usage: completion.usage, ...(translatedTo === undefined && { answer }) })
  return answer
}

async function whole(
  bytes: Buffer,
  call: ProviderCall,
  endpoint: ChatEndpoint,
  sending: Sending,
  headers: Record<string, string>,
): Promise<Answer> {
  const { format, name, learn } = endpoint
  const body = await answerIn(bytes, endpoint, sending)
  const decode = () => {
    try {
      const completion = format.decodeAnswer(body, bytes)
      learn(completion.blocks)
      return completion
    } catch (error) {
      const wrong = wrongAnswer(name, `sent an answer that cannot be read as ${format.name}`, { cause: error })
      throw withToldUsage(wrong, bytes)
    }
  }
  // A client of the same format gets the bytes; any other needs the canonical form, so it had better be readable now.
  const client = call.prompt.dialect.name
  const isOwn = client === format.name
  const word = endpoint.gaveUp?.(body)
  if (word !== undefined && !isOwn) throw gaveUp(name, word)
  const completion = isOwn ? decode : decode()
  if (typeof completion !== 'function') {
    const { gaveUp: unfinished } = completion.stop
    if (unfinished !== undefined)
      throw new ProviderError('protocol', `${name} sent an answer that is not finished (${unfinished})`, {
        fault: 'the vendor sent an answer that is not finished',
      })
    refuseVital(completion.blocks, name, client)
  }
  const answer = wholeAnswer({ completion, wire: { format: format.name, bytes }, headers })
  if (word !== undefined) throw gaveUp(name, word, { answer })
  return answer
}
