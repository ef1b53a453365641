import { type Instruction, inTurns, type Steps, stepped } from 'deflector'
import { ByteMemo } from './byte-memo.ts'
import { dedup, Seen, show } from './dedup.ts'
import { isInstructional } from './gate.ts'
import { minify } from './markdown/minify.ts'
import { digestOf } from './text-digest.ts'

export interface Stages {
  readonly dedup: boolean
  readonly minify: boolean
}

/** A text that is to be read, and whether it may be another one afterwards. */
export interface Candidate extends Instruction {
  readonly digest: string
  readonly mayChange: boolean
}

/** What became of one text. */
export interface Shortened {
  readonly text: string
  readonly stages: readonly (keyof Stages)[]
}

export interface ShortenedOn {
  readonly results: readonly (Shortened | undefined)[]
  /** Keys of all that the session said. */
  readonly said: readonly string[]
}

/** Characters of a text above which it stays as it is. */
const LONGEST = 256 << 10
/** Characters of text in one request that are read anew. */
const MOST_NEW = 1 << 20
const MEMO_BYTES = 8 << 20

/**
 * The three stages in their order: what is no instruction stays, what was said before becomes a reference, and what is
 * left loses comments and decoration. The result depends on the texts alone, each on those before it: a conversation
 * that goes on keeps its beginning.
 */
export class Shortener {
  /** Minified texts by their hash; an empty one stands for a text that stays. */
  readonly #minified = new ByteMemo<string>(MEMO_BYTES / 2, text => 2 * text.length)
  /** What became of all texts of a request, by the hash of them all; an empty list where all of them stay. */
  readonly #requests = new ByteMemo<readonly (Shortened | undefined)[]>(MEMO_BYTES / 2, sizeOf)

  readonly #work = stepped((candidates: readonly Candidate[], seen: Seen) => this.#steps(candidates, seen))

  constructor(readonly stages: Stages) {}

  /** For each text what it becomes, `undefined` where it stays. */
  async shorten(candidates: readonly Candidate[]): Promise<readonly (Shortened | undefined)[]> {
    const digests = candidates.map(({ digest }) => digest).join(' ')
    const flags = candidates.map(flagOf)
    const key = digestOf(`${flags.join('')} ${digests}`)
    const known = this.#requests.get(key)
    if (known) return known
    const result = await inTurns(this.#work, candidates, new Seen())
    this.#requests.set(key, result.some(one => one !== undefined) ? result : NONE)
    return result
  }

  /** The same where the model is taken to know what earlier requests of its session said. */
  async shortenOn(candidates: readonly Candidate[], said: readonly string[]): Promise<ShortenedOn> {
    const seen = new Seen(said)
    return { results: await inTurns(this.#work, candidates, seen), said: seen.keys }
  }

  *#steps(candidates: readonly Candidate[], seen: Seen): Steps<(Shortened | undefined)[]> {
    const out: (Shortened | undefined)[] = []
    let read = 0
    for (const candidate of candidates) {
      const { text, mayChange, passing } = candidate
      read += text.length
      const isReadable = text.length <= LONGEST && read <= MOST_NEW && isInstructional(candidate)
      // What the vendor forgets with this request is no place to refer to from what it keeps.
      const own = passing ? new Seen() : seen
      if (isReadable && mayChange) out.push(yield* this.#one(candidate, own))
      else {
        if (isReadable && this.stages.dedup) yield* show.steps(text, own)
        out.push(undefined)
      }
      yield
    }
    return out
  }

  *#one(candidate: Candidate, seen: Seen): Steps<Shortened | undefined> {
    const { text, fromUser } = candidate
    let out = this.stages.minify ? yield* this.#minify(candidate) : text
    const isMinified = out !== text
    let isDeduped = false
    if (this.stages.dedup) {
      // A user may ask about the comments and the repetitions of what else the prompt holds.
      const before = fromUser ? new Seen(seen.keys, true) : seen
      // Compared is what will be sent, so that what is sent, optimised again, stays as it is.
      const shorter = yield* dedup.steps(out, before)
      if (fromUser) yield* show.steps(shorter, seen)
      isDeduped = shorter !== out
      out = isDeduped && this.stages.minify ? yield* minify.steps(shorter, fromUser) : shorter
    }
    if (Buffer.byteLength(out) >= Buffer.byteLength(text)) return undefined
    const stages = [...(isDeduped ? (['dedup'] as const) : []), ...(isMinified ? (['minify'] as const) : [])]
    return { text: out, stages }
  }

  *#minify({ text, digest, fromUser }: Candidate): Steps<string> {
    const key = fromUser ? `user ${digest}` : digest
    const known = this.#minified.get(key)
    if (known !== undefined) return known === '' ? text : known
    const shorter = yield* minify.steps(text, fromUser)
    this.#minified.set(key, shorter === text ? '' : shorter)
    return shorter
  }
}

/** What the result depends on beside the text. */
const flagOf = ({ mayChange, passing, fromUser }: Candidate): string =>
  mayChange ? (passing ? 'p' : fromUser ? 'u' : 'c') : passing ? '=' : '-'

const NONE: readonly undefined[] = []

const sizeOf = (texts: readonly (Shortened | undefined)[]): number =>
  texts.reduce((sum, one) => sum + (one ? 2 * one.text.length : 8), 0)
