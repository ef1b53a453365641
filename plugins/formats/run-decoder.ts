import type { AnswerEvent, EventRun, Frame, StreamDecoder, WireEvent } from 'deflector'
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

  get complete(): boolean {
    return this.#decoder.complete === true
  }

  push(event: WireEvent): AnswerEvent[] {
    const said = this.#said(this.#piece(event))
    if (said) return [said]
    const events = this.#decoder.push(event)
    this.#run = this.#runOf(event.event, this.#quiet(event), events)
    return events
  }

  run(events: readonly WireEvent[], from: number, to: number): EventRun | undefined {
    const run = this.#run
    const pieces: string[] = []
    for (const event of run ? events.slice(from, to) : []) {
      const piece = this.#piece(event)
      if (piece === undefined) break
      pieces.push(piece)
    }
    const text = pieces.join('')
    const said = pieces.length > 1 ? this.#said(text) : undefined
    if (!run || !said) return undefined
    const data = run.before + text + run.after
    const joined = run.name === undefined ? { data } : { event: run.name, data }
    return { length: pieces.length, said, joined }
  }

  /** The text of an event that differs from the last one in nothing else, as it is spelled there. */
  #piece(event: WireEvent): string | undefined {
    const run = this.#run
    if (!run || run.name !== event.event) return undefined
    return textIn(event.data, run) || (this.#noise && textIn(this.#quiet(event), run)) || undefined
  }

  #said(piece: string | undefined): TextEvent | undefined {
    const text = piece === undefined ? undefined : unquoted(piece)
    return this.#run && text !== undefined ? { ...this.#run.said, text } : undefined
  }

  #quiet({ data }: WireEvent): string {
    return this.#noise ? data.replace(this.#noise, '') : data
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

/** `undefined` where a backslash stands before a sign that JSON does not know. */
function unquoted(text: string): string | undefined {
  if (!text.includes('\\')) return text
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return undefined
  }
}

const finders = new Map<readonly string[], HoleFinder>()

function finderOf(members: readonly string[]): HoleFinder {
  const finder = finders.get(members) ?? holeFinder(members)
  finders.set(members, finder)
  return finder
}
