import type { StreamRecord, WireEvent } from 'deflector'
import { closingQuote } from './closing-quote.ts'

/** Characters of a stream that are kept. What is larger is passed on, and not kept. */
const LIMIT = 4 << 20

/** The one text of an event that goes on in the next, as it stands between its quotes. */
export interface Hole {
  readonly before: string
  readonly text: string
  readonly after: string
}

/** Finds the text of an event among the members that hold such texts. */
export type HoleFinder = (data: string) => Hole | undefined

/** `undefined` where no such member has a text, or several have one. */
export function holeFinder(members: readonly string[]): HoleFinder {
  const opening = new RegExp(`"(?:${members.join('|')})":\\s*"`, 'g')
  return data => {
    let found: Hole | undefined
    opening.lastIndex = 0
    for (let match = opening.exec(data); match; match = opening.exec(data)) {
      const start = opening.lastIndex
      const end = closingQuote(data, start)
      if (end < 0) return undefined
      opening.lastIndex = end
      if (found && start < end && found.text !== '') return undefined
      if (!found || start < end)
        found = { before: data.slice(0, start), text: data.slice(start, end), after: data.slice(end) }
    }
    return found
  }
}

interface Run {
  readonly before: string
  readonly after: string
  readonly texts: string[]
}

export interface Joining {
  readonly holeIn: HoleFinder
  /** The events that go on in the next. Default: all. */
  readonly goesOn?: RegExp | undefined
  /** What each of those has of its own and means nothing. */
  readonly noise?: RegExp | undefined
  /** Events that mean nothing. */
  readonly idle?: RegExp | undefined
}

/**
 * The events of one stream, as few as can be: those that differ in their text alone become one. They are compared as
 * text, so that nothing is read and nothing is spelled anew.
 */
export class JoinedEvents implements StreamRecord {
  readonly #joining: Joining
  readonly #done: string[] = []
  #run: Run | undefined
  #size = 0
  #isDropped = false

  constructor(joining: Joining) {
    this.#joining = joining
  }

  add(wire: string): void {
    if (this.#isDropped) return
    const { goesOn, noise, idle, holeIn } = this.#joining
    const event = noise && goesOn?.test(wire) !== false ? wire.replace(noise, '') : wire
    const run = this.#run
    const text = run && run.texts.length > 0 ? textIn(event, run) : undefined
    this.#size += text?.length ?? event.length
    if (this.#size > LIMIT) this.drop()
    else if (run && text !== undefined) run.texts.push(text)
    else if (!idle?.test(event)) {
      this.#close()
      const hole = holeIn(event)
      this.#run = hole
        ? { before: hole.before, after: hole.after, texts: [hole.text] }
        : { before: event, after: '', texts: [] }
    }
  }

  drop(): void {
    this.#isDropped = true
    this.#run = undefined
    this.#done.length = 0
  }

  text(): string | undefined {
    this.#close()
    return this.#isDropped ? undefined : this.#done.join('')
  }

  #close(): void {
    const run = this.#run
    this.#run = undefined
    if (!run) return
    this.#done.push(run.before + run.texts.join('') + run.after)
  }
}

const INSIDE_QUOTES = /^(?:[^"\\]|\\.)*$/s

/** The text of an event that differs from another in nothing else. */
export function textIn(event: string, { before, after }: Pick<Hole, 'before' | 'after'>): string | undefined {
  if (event.length < before.length + after.length) return undefined
  if (!event.startsWith(before) || !event.endsWith(after)) return undefined
  const text = event.slice(before.length, event.length - after.length)
  const isPlain = !text.includes('"') && !text.includes('\\')
  return isPlain || INSIDE_QUOTES.test(text) ? text : undefined
}

/** The events of a text that `JoinedEvents` wrote, or `sseText`. */
export function* eventsIn(text: string): Generator<WireEvent> {
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\n\n', at)
    const end = found < 0 ? text.length : found
    const lines = text.slice(at, end).split('\n')
    const event = lines[0]?.startsWith(EVENT) ? lines.shift()?.slice(EVENT.length) : undefined
    const data = lines.map(line => line.slice(DATA.length)).join('\n')
    yield event === undefined ? { data } : { event, data }
    at = end + 2
  }
}

const EVENT = 'event: '
const DATA = 'data: '
