import type { Clock, Exchange } from 'deflector'
import { ByteMemo } from './byte-memo.ts'
import { digestOf } from './text-digest.ts'

/** What is remembered of a session, so that its requests keep their beginning. */
export interface Session {
  /** Decided with its first request: are its instructions shortened? */
  readonly isOn: boolean
  /** Texts that stayed because the client has them cached: they stay, also where it no longer does. */
  readonly left: Set<string>
  /** Of one that the client names. Another one may be several conversations that begin with the same words. */
  readonly named?: {
    /** Texts that were changed: they change again, also where the client has them cached by now. */
    readonly changed: Set<string>
    /** Keys of what its requests said, where `dedup_scope` is `session`. */
    said: readonly string[]
  }
  /** What the vendor's counts said last, see `net-effect.ts`. */
  last?: { readonly at: number; readonly head: string; readonly cached: number } | undefined
}

/** What a session is known by where the client names none. Vendors' caches know a prompt by the same words. */
export interface Opening {
  /** Hash of its first instructions. */
  readonly head: string
  /** What the user said first. */
  readonly first: string
}

const BYTES = 8 << 20
/** Of a session that fills none of its lists. */
const SESSION_BYTES = 600
/** A session without an id ends when it was not used for a day, the longest that OpenAI's cache keeps a prompt. */
const UNNAMED_MS = 86_400_000
/** Characters of what the user said first that tell one session from another. */
const MOST_OPENING = 16 << 10
/** Texts, and blocks of them, that are remembered of one session. */
const MOST_TEXTS = 1_000
const MOST_SAID = 500
/** A hash in a list. */
const NAME_BYTES = 100

const sizeOf = ({ left, named }: Session): number =>
  SESSION_BYTES + NAME_BYTES * (left.size + (named ? named.changed.size + named.said.length : 0))

/** The sessions that had instructions lately. */
export class Sessions {
  readonly #sessions = new ByteMemo<Session & { ends: number }>(BYTES, sizeOf)

  constructor(readonly clock: Pick<Clock, 'monotonic'>) {}

  /** The session of this exchange. `begin` decides about one that is new. */
  of(
    { session, principal = '', namespace }: Pick<Exchange, 'session' | 'principal' | 'namespace'>,
    { head, first }: Opening,
    begin: () => boolean,
  ): Session {
    const isNamed = session !== undefined
    const name = isNamed ? [`${typeof session} ${session}`] : [head, first.length, first.slice(0, MOST_OPENING)]
    const key = digestOf(JSON.stringify([namespace, principal, ...name]))
    const now = this.clock.monotonic()
    const ends = isNamed ? Number.POSITIVE_INFINITY : now + UNNAMED_MS
    const known = this.#sessions.get(key)
    if (known && known.ends > now) {
      known.ends = ends
      return known
    }
    const named = { changed: new Set<string>(), said: [] }
    const begun = { isOn: begin(), left: new Set<string>(), ends, ...(isNamed && { named }) }
    this.#sessions.set(key, begun)
    return begun
  }

  /** Remembers a text of a session, as far as there is room. */
  note(texts: Set<string>, text: string): void {
    if (texts.size >= MOST_TEXTS || texts.has(text)) return
    texts.add(text)
    this.#sessions.grow(NAME_BYTES)
  }

  /** Remembers what a session said. What does not fit is said in full again. */
  noteSaid(named: NonNullable<Session['named']>, said: readonly string[]): void {
    const kept = said.slice(0, MOST_SAID)
    this.#sessions.grow((kept.length - named.said.length) * NAME_BYTES)
    named.said = kept
  }
}
