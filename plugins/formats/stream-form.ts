import { type JsonObject, type Prompt, pieces, type ReplyFacts, type StreamForm, type WireEvent } from 'deflector'
import { eventsIn, type Hole, holeFinder, JoinedEvents } from './joined-events.ts'
import { sseText } from './sse.ts'

/** What is true of the streams of one dialect; `streamForm` does the rest. */
export interface StreamShape {
  /** Members whose texts go on from event to event. */
  readonly texts: readonly string[]
  /** What each event has of its own and means nothing: padding, a running number. */
  readonly noise?: RegExp
  /** Events that mean nothing. */
  readonly idle?: RegExp
  /** An event's data with the ids and the time of one delivery. */
  renew(data: string, reply: ReplyFacts): string
  /** Is this event for this client? Default: all are. */
  isFor?(event: WireEvent, prompt: Prompt): boolean
  /** The whole answer, as JSON text; `undefined` where the events say what it cannot. */
  toWhole(events: Iterable<WireEvent>): string | undefined
  /** Few events with long texts. */
  fromWhole(body: JsonObject, bytes: Uint8Array): Iterable<WireEvent>
}

/** Streams of server-sent events whose answers are kept as streams. */
export function streamForm({ isFor = () => true, ...shape }: StreamShape): StreamForm {
  const holeIn = holeFinder(shape.texts)
  return {
    record: () => new JoinedEvents({ holeIn, noise: shape.noise, idle: shape.idle }),
    *send(text, prompt, reply) {
      for (const event of eventsIn(text)) {
        if (!isFor(event, prompt)) continue
        const hole = holeIn(event.data)
        if (!hole || hole.text.length <= SHORT) yield sseText({ ...event, data: shape.renew(event.data, reply) })
        else yield* inPieces(event, hole, data => shape.renew(data, reply))
      }
    },
    toWhole(text) {
      const whole = shape.toWhole(eventsIn(text))
      return whole === undefined ? undefined : Buffer.from(whole)
    },
    fromWhole: (body, bytes) => [...shape.fromWhole(body, bytes)].map(sseText).join(''),
  }
}

/** Characters of a text that is not worth being cut. */
const SHORT = 64

function* inPieces(event: WireEvent, hole: Hole, renew: (data: string) => string): Generator<string> {
  // Renewed once for all pieces, with a mark in place of the text that stands nowhere else.
  let mark = 'text'
  while (hole.before.includes(mark) || hole.after.includes(mark)) mark += '-'
  const [before, after, more] = renew(hole.before + mark + hole.after).split(mark)
  for (const piece of pieces(String(JSON.parse(`"${hole.text}"`)))) {
    const text = JSON.stringify(piece).slice(1, -1)
    const data =
      before === undefined || after === undefined || more !== undefined
        ? renew(hole.before + text + hole.after)
        : before + text + after
    yield sseText({ ...event, data })
  }
}
