import { type Asked, type JsonObject, pieces, type ReplyFacts, type StreamForm, type WireEvent } from 'deflector'
import { eventsIn, type Hole, type HoleFinder, holeFinder, JoinedEvents } from './joined-events.ts'
import { sseText } from './sse.ts'

/** What is true of the streams of one dialect; `streamForm` does the rest. */
export interface StreamShape {
  /** Members whose texts go on from event to event. */
  readonly texts: readonly string[]
  /** The events in which they do. Default: all. */
  readonly goesOn?: RegExp
  /** What each event with such a text has of its own and means nothing: padding, a running number. */
  readonly noise?: RegExp
  /** Events that mean nothing. */
  readonly idle?: RegExp
  /** Gives an event's data the ids and the time of one delivery, and what it repeats of a request as `asked` says it. */
  renewer(reply: ReplyFacts, asked: Asked): (data: string) => string
  /** An event's data with its place among the events of one delivery. Default: they are not numbered. */
  number?(data: string, number: number): string
  /** Is this event for this client? Default: all are. */
  isFor?(event: WireEvent, asked: Asked): boolean
  /** The whole answer, as JSON text; `undefined` where the events say what it cannot. */
  toWhole(events: Iterable<WireEvent>): string | undefined
  /** Few events with long texts. */
  fromWhole(body: JsonObject, bytes: Uint8Array): Iterable<WireEvent>
}

/** Streams of server-sent events whose answers are kept as streams. */
export function streamForm({ isFor = () => true, ...shape }: StreamShape): StreamForm {
  const { goesOn } = shape
  const findHole = holeFinder(shape.texts)
  const holeIn: HoleFinder = goesOn ? data => (goesOn.test(data) ? findHole(data) : undefined) : findHole
  return {
    record: () => new JoinedEvents({ holeIn, goesOn, noise: shape.noise, idle: shape.idle }),
    *send(text, asked, reply) {
      let number = 0
      const renew = shape.renewer(reply, asked)
      const written = ({ data, ...event }: WireEvent): string =>
        sseText({ ...event, data: shape.number?.(data, number++) ?? data })
      for (const event of eventsIn(text)) {
        if (!isFor(event, asked)) continue
        const hole = holeIn(event.data)
        if (!hole || hole.text.length <= SHORT) yield written({ ...event, data: renew(event.data) })
        else for (const piece of inPieces(event, hole, renew)) yield written(piece)
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

function* inPieces(event: WireEvent, hole: Hole, renew: (data: string) => string): Generator<WireEvent> {
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
    yield { ...event, data }
  }
}
