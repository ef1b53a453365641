import {
  type AnswerEvent,
  Assembler,
  type Clock,
  type Completion,
  type EventRun,
  type Frame,
  isProviderError,
  ProviderError,
  type StreamDecoder,
  type StreamRecord,
  type WireEvent,
  yieldBetweenFrames,
} from 'deflector'
import { sseBatches, sseText } from 'deflector/formats/sse'
import { StreamFault } from 'deflector/formats/stream-fault'
import { eventFailure } from './failure.ts'
import { gaveUp, wordIn } from './gave-up.ts'
import { ANSWER_LIMIT, type ReplyStream } from './reply.ts'
import { withToldUsage } from './told-usage.ts'
import { isCutOff } from './transport-failure.ts'
import type { VendorFormat } from './vendor-format.ts'
import { refuseVital } from './vital.ts'
import { wrongAnswer } from './wrong-answer.ts'

export interface StreamFacts {
  readonly format: Pick<VendorFormat, 'name' | 'streamDecoder' | 'streamForm'>
  /** Instance name, for messages. */
  readonly name: string
  /** Milliseconds without a byte after which the vendor is given up. */
  readonly idleMs: number
  readonly clock: Pick<Clock, 'after'>
  readonly secrets: readonly string[]
  /** Shown all that is read. */
  readonly learn?: (said: readonly AnswerEvent[]) => void
  /** The client's dialect, if it is another: what cannot be told in it ends the stream. */
  readonly translatedTo?: string | undefined
  /** Of a stream that goes to a client of the vendor's own dialect, so that it can be kept as it is. */
  readonly record?: StreamRecord | undefined
}

/** Frames that are passed on at once. In a burst other requests get their turn between two such lists. */
const BATCH = 32

/**
 * The frames of a vendor's event stream, each with its own text, in lists of those that came together. Ends normally
 * only after the terminal event; throws `ProviderError`. A reader that stops early ends the upstream call.
 */
export async function* batches(reply: ReplyStream, facts: StreamFacts): AsyncGenerator<readonly Frame[]> {
  const decoder = facts.format.streamDecoder()
  const line = watched(reply, facts, decoder)
  let ended = false
  try {
    for await (const events of sseBatches(line)) {
      let batch: Frame[] = []
      for (let at = 0, event = events[0]; event && !ended; event = events[at]) {
        // A few that come together never wait, or a busy loop would keep each stream for a turn of its own.
        const wait = at < BATCH ? undefined : yieldBetweenFrames()
        if (wait || batch.length >= BATCH) {
          if (batch.length > 0) yield batch
          batch = []
          if (wait) await wait
        }
        const run = decoder.run?.(events, at, at + BATCH)
        const frame = run ? frameOfRun(run, events.slice(at, at + run.length)) : frameOf(event, decoder, facts)
        at += run?.length ?? 1
        if (isProviderError(frame)) {
          // What was read before is still passed on.
          if (batch.length > 0) yield batch
          throw frame
        }
        batch.push(frame)
        ended = isLast(frame) // what a vendor sends after its terminator is ignored
      }
      if (batch.length > 0) yield batch
      if (ended) return
    }
    const framed = reply.framed && !line.cut
    const owed = finish(decoder, framed, facts)
    // What is owed may be a guess, where a line that broke looks like the end.
    const isDoubtful = owed.some(({ events }) => events.some(({ type }) => type === 'unmodelled'))
    if (isDoubtful && !framed) facts.record?.drop()
    ended = owed.some(isLast)
    if (owed.length > 0) yield owed
    if (!ended) throw wrongAnswer(facts.name, ENDED_EARLY)
  } catch (error) {
    if (isProviderError(error)) throw error
    throw line.cut ?? protocol(facts, error)
  } finally {
    if (ended) reply.release()
    else reply.cancel(new ProviderError('network', 'the call was given up'))
  }
}

const ENDED_EARLY = 'ended the stream before its terminal event'

const isLast = ({ events }: Frame): boolean => events.some(({ type }) => type === 'end')

const frameOfRun = ({ said, joined }: EventRun, read: readonly WireEvent[]): Frame => ({
  events: [said],
  wire: read.map(sseText).join(''),
  joined: sseText(joined),
})

function frameOf(event: WireEvent, decoder: StreamDecoder, facts: StreamFacts): Frame | ProviderError {
  try {
    const events = decoder.push(event)
    facts.learn?.(events)
    if (facts.translatedTo !== undefined) refuseVital(events, facts.name, facts.translatedTo)
    const word = facts.translatedTo === undefined ? undefined : wordIn(events)
    if (word !== undefined) return withToldUsage(gaveUp(facts.name, word), event.data)
    const wire = sseText(event)
    if (event.id === undefined) return { events, wire }
    const { id: _, ...kept } = event
    return { events, wire, joined: sseText(kept) }
  } catch (error) {
    if (isProviderError(error)) return error
    const about = { ...facts, dialect: facts.format.name }
    const failure = eventFailure(event.data, about) ?? eventFailure(faultText(error), about)
    return failure ? withToldUsage(failure, event.data) : protocol(facts, error)
  }
}

/** A vendor that streams without being asked to: the stream is gathered. */
export async function gathered(reply: ReplyStream, facts: StreamFacts): Promise<Completion> {
  const assembler = new Assembler()
  let size = 0
  for await (const batch of batches(reply, facts)) {
    for (const { events, wire, joined } of batch) {
      size += wire.length
      if (size > ANSWER_LIMIT) throw wrongAnswer(facts.name, 'sent an answer larger than 64 MiB')
      facts.record?.add(joined ?? wire)
      for (const event of events) assembler.add(event)
    }
  }
  return assembler.completion()
}

/** What a dialect's own decoder found, where the vendor's words stand deeper in the event than all look for them. */
const faultText = (error: unknown): string =>
  error instanceof StreamFault ? JSON.stringify({ error: { code: error.type, message: error.detail } }) : ''

function finish(decoder: StreamDecoder, framed: boolean, facts: StreamFacts): Frame[] {
  try {
    return decoder.finish(framed)
  } catch (error) {
    throw wrongAnswer(facts.name, ENDED_EARLY, { cause: error })
  }
}

/** The decoder's own message may quote what it could not read, so only its kind is reported. */
const protocol = (facts: StreamFacts, cause: unknown): ProviderError =>
  wrongAnswer(facts.name, `sent a stream that is not in the ${facts.format.name} format`, { cause })

/** The bytes of a reply. `cut`: what ended the line once the answer was complete, which is no failure but its end. */
interface Line extends AsyncIterable<Uint8Array> {
  cut?: ProviderError
}

/**
 * Gives the vendor up after `idleMs` without a byte. A slow reader is not the vendor's silence: time runs only while we
 * wait. A line that breaks or falls silent after a complete answer has ended: only a terminator, or usage, is missing.
 */
function watched(reply: ReplyStream, { name, idleMs, clock }: StreamFacts, decoder: StreamDecoder): Line {
  const reader = reply.chunks()
  let silent = false
  const giveUp = (): void => {
    silent = true
    reply.cancel(new ProviderError('timeout', `${name} sent nothing for ${idleMs / 1000} s`))
  }
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const heard = clock.after(idleMs, giveUp)
    try {
      return await reader.next()
    } catch (error) {
      const isEnd = isCutOff(error) || (silent && isProviderError(error))
      if (decoder.complete !== true || !isEnd) throw error
      line.cut = error
      return { value: undefined, done: true }
    } finally {
      heard()
    }
  }
  const line: Line = { [Symbol.asyncIterator]: () => ({ next, return: () => reader.return(undefined) }) }
  return line
}
