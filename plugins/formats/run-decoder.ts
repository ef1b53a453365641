import type { AnswerEvent, Frame, StreamDecoder, WireEvent } from 'deflector'
import { type HoleFinder, holeFinder, textIn } from './joined-events.ts'

type TextEvent = Extract<AnswerEvent, { type: 'text' | 'reasoning' | 'tool_args' }>

/** The last event that was decoded, where it said one text and nothing else. */
interface Run {
  readonly name: string | undefined
  readonly before: string
  readonly after: string
  readonly said: TextEvent
}

/**
 * A decoder that need not read most of a stream: an event that differs from the one before in its text alone says the same
 * with another text. For decoders to which a further piece of a text makes no difference.
 */
export class RunDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder
  readonly #holeIn: HoleFinder
  readonly #noise: RegExp | undefined
  #run: Run | undefined

  /** `members` and `noise` as in `StreamShape`. */
  constructor(decoder: StreamDecoder, members: readonly string[], noise?: RegExp) {
    this.#decoder = decoder
    this.#holeIn = finderOf(members)
    this.#noise = noise
  }

  push(event: WireEvent): AnswerEvent[] {
    const data = this.#noise ? event.data.replace(this.#noise, '') : event.data
    const run = this.#run
    const text = run && run.name === event.event ? textIn(data, run) : undefined
    if (run && text !== undefined && text !== '') return [{ ...run.said, text: unquoted(text) }]
    const events = this.#decoder.push(event)
    this.#run = this.#runOf(event.event, data, events)
    return events
  }

  finish(framed?: boolean): Frame[] {
    return this.#decoder.finish(framed)
  }

  #runOf(name: string | undefined, data: string, [said, ...more]: readonly AnswerEvent[]): Run | undefined {
    if (!said || more.length > 0 || !isText(said)) return undefined
    const hole = this.#holeIn(data)
    return hole && unquoted(hole.text) === said.text
      ? { name, before: hole.before, after: hole.after, said }
      : undefined
  }
}

const isText = (event: AnswerEvent): event is TextEvent =>
  event.type === 'tool_args' || event.type === 'reasoning' || (event.type === 'text' && event.logprobs === undefined)

const unquoted = (text: string): string => (text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text)

const finders = new Map<readonly string[], HoleFinder>()

function finderOf(members: readonly string[]): HoleFinder {
  const finder = finders.get(members) ?? holeFinder(members)
  finders.set(members, finder)
  return finder
}
