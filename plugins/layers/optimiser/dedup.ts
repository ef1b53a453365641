import { type Steps, stepped } from 'deflector'
import { DEFINITION } from './markdown/inline-comments.ts'
import { indentOf, isBlank, readLines } from './markdown/lines.ts'
import { digestOf, shortDigest } from './text-digest.ts'

/** Characters of repeated text below which a reference would save next to nothing. */
const LEAST = 240
const EXCERPT = 40
/** Characters of a line that an excerpt of it is looked for in. */
const LOOK = 400
const CHUNKS_A_STEP = 32

/** Lines without a blank one between them. */
interface Chunk {
  readonly from: number
  readonly to: number
  readonly text: string
  /** What it is known by; empty for what is no instruction, such as an example. */
  readonly key: string
  readonly indent: number
}

/** The chunks that a model has in sight, in order, each by its key. */
export class Seen {
  readonly #keys: string[] = []
  readonly #first = new Map<string, number>()

  #isClosed = false

  /** With `isClosed`, nothing joins what was said earlier. */
  constructor(earlier: readonly string[] = [], isClosed = false) {
    for (const key of earlier) this.add(key)
    this.#isClosed = isClosed
  }

  get keys(): readonly string[] {
    return this.#keys
  }

  add(key: string): void {
    if (this.#isClosed) return
    if (key !== '' && !this.#first.has(key)) this.#first.set(key, this.#keys.length)
    this.#keys.push(key)
  }

  /** How many of these chunks, from `at` on, stand one after the other where the first of them was first seen. */
  follow(chunks: readonly Chunk[], at: number): number {
    const place = this.#first.get(chunks[at]?.key ?? '')
    if (place === undefined) return 0
    let count = 0
    while (chunks[at + count]?.key && this.#keys[place + count] === chunks[at + count]?.key) count++
    return count
  }
}

/** A text that stays as it is joins what the model has in sight. */
export const show = stepped(function* (text: string, seen: Seen): Steps<void> {
  const { texts, kinds } = yield* readLines.steps(text)
  const chunks = yield* chunksOf(texts, at => kinds[at] === 'free')
  for (const [at, { key }] of chunks.entries()) {
    if (at % CHUNKS_A_STEP === 0) yield
    seen.add(key)
  }
})

/**
 * The text with references in place of blocks that stand in full where the model has them in sight. What is left of it
 * joins `seen`.
 */
export const dedup = stepped(function* (text: string, seen: Seen): Steps<string> {
  const { texts, kinds } = yield* readLines.steps(text)
  const chunks = yield* chunksOf(texts, at => kinds[at] === 'free')
  const out: string[] = []
  let line = 0
  for (let at = 0; at < chunks.length; ) {
    if (at % CHUNKS_A_STEP === 0) yield
    const count = replaceable(chunks, at, seen.follow(chunks, at))
    const [first, last] = [chunks[at], chunks[at + Math.max(count, 1) - 1]]
    if (!first || !last) break
    if (count === 0) seen.add(first.key)
    else {
      // A reference is no place to refer to, now or when it comes again in the text.
      seen.add('')
      out.push(...texts.slice(line, first.from), referenceTo(chunks.slice(at, at + count).map(({ text }) => text)))
      line = last.to
    }
    at += Math.max(count, 1)
  }
  return out.length === 0 ? text : [...out, ...texts.slice(line)].join('\n')
})

/** How many of the repeated chunks may go: enough to be worth it, and none that the next one belongs to. */
function replaceable(chunks: readonly Chunk[], at: number, repeated: number): number {
  let count = repeated
  while (count > 0 && (chunks[at + count]?.indent ?? 0) > 0) count--
  let size = 0
  for (let one = at; one < at + count; one++) size += chunks[one]?.text.length ?? 0
  return size < LEAST ? 0 : count
}

function* chunksOf(lines: readonly string[], isFree: (at: number) => boolean): Steps<Chunk[]> {
  const chunks: Chunk[] = []
  for (let from = 0; from < lines.length; from++) {
    if (isBlank(lines[from] ?? '')) continue
    let to = from
    let free = true
    for (; to < lines.length && !isBlank(lines[to] ?? ''); to++) free &&= isFree(to)
    const indent = indentOf(lines[from] ?? '')
    const text = lines.slice(from, to).join('\n').trimEnd()
    // In a list, or with code in it, it is part of something larger. What names links holds for its own text.
    const stays = !free || indent > 0 || REFERENCE.test(text) || DEFINITION.test(text)
    const key = stays ? '' : digestOf(text)
    chunks.push({ from, to, text, key, indent })
    if (chunks.length % CHUNKS_A_STEP === 0) yield
    from = to
  }
  return chunks
}

const REFERENCE = /^\[As given above, from "[^"\n]*" to "[^"\n]*"; block [0-9a-f]{8}\.\]$/

/** Names the repeated text by its first and last words, so that the model finds it, and by its hash. */
function referenceTo(chunks: readonly string[]): string {
  const text = chunks.join('\n\n')
  const lines = text.split('\n')
  const head = headOf(said(lines, line => line.slice(0, LOOK)))
  const tail = tailOf(said(lines.reverse(), line => line.slice(-LOOK)))
  return `[As given above, from "${head}" to "${tail}"; block ${shortDigest(text)}.]`
}

/** What the first line says that says anything. */
function said(lines: readonly string[], part: (line: string) => string): string {
  for (const line of lines) {
    const words = plain(part(line))
    if (/[\p{L}\p{N}\p{S}]/u.test(words)) return words
  }
  return ''
}

/** Up to the last whole word. What has no spaces, as Chinese, is cut between two characters. */
function headOf(said: string): string {
  if (said.length <= EXCERPT) return said
  const cut = said.slice(0, EXCERPT)
  return `${cut.replace(/\s*\S*$/, '') || cut.replace(/[\ud800-\udbff]$/, '')}…`
}

function tailOf(said: string): string {
  if (said.length <= EXCERPT) return said
  const cut = said.slice(-EXCERPT)
  return `…${cut.replace(/^\S*\s*/, '') || cut.replace(/^[\udc00-\udfff]/, '')}`
}

/** Without marks that would mean something here, and without halves of characters, which vendors refuse. */
const plain = (line: string): string =>
  line
    .replace(/[`<>"[\]*_|\\#~]|\p{Cs}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
