import { createHash, type Hash, hash } from 'node:crypto'
import { type Exchange, Memo, nextTurn, type Prompt, timeSlice } from 'deflector'
import { AS_IT_STANDS, BodyWriter, canonicalBody, EXACT_LIMIT, type Spelled, Unfit } from './canonical-body.ts'
import { rulesOf } from './compiled-rules.ts'

/** SHA-256 of a body's canonical form: in one go, or in turns of the event loop. Both give the same. */

/** Bodies above this many bytes are worth the turns. */
const LARGE_BODY = 128 << 10
/** It is read within a fraction of a millisecond. */
const SMALL_BODY = 16 << 10
/** A part is read while others wait for the same turn, so the turns pay earlier. Below it numbers are spelled anew. */
const LARGE_PART = EXACT_LIMIT
/** Values that are written, and characters or bytes that are hashed, before anybody looks at the time. */
const STEPS = 500
const PIECE = 64 << 10

/** A body is large and does not change: it is read once for all readers. */
const digests = new Memo<string>()
const underWay = new Memo<Promise<void>>()

export const digest = (text: string): string => hash('sha256', text, 'base64url')

export function digestOf(exchange: Exchange): string {
  const known = digests.of(exchange)
  if (known !== undefined) return known
  const fresh = digest(canonicalBody(exchange.prompt))
  digests.set(exchange, fresh)
  return fresh
}

/** The digest where somebody has asked for it before, or of a small body; `undefined` of others, and without a body. */
export function digestAtHand(exchange: Exchange): string | undefined {
  const { opened } = exchange
  return digests.of(exchange) ?? (opened && opened.bytes.length <= SMALL_BODY ? digestOf(exchange) : undefined)
}

/** Sees to it that `digestOf` has nothing to do. `undefined`: it is no work worth waiting for. */
export function digestInTurns(exchange: Exchange): Promise<void> | undefined {
  const { prompt } = exchange
  if (prompt.bytes.length <= LARGE_BODY || digests.of(exchange) !== undefined) return undefined
  let reading = underWay.of(exchange)
  if (!reading) {
    reading = readInTurns(prompt).then(digest => digests.set(exchange, digest))
    underWay.set(exchange, reading)
  }
  return reading
}

/** The digest of a part of a prompt's body, for those who can wait: of a large body in turns of the event loop. */
export function digestOfPart(prompt: Prompt, part: Prompt['body']): string | Promise<string> {
  const { dialect, bytes } = prompt
  const spelled: Spelled = { dialect, body: part, bytes }
  return bytes.length > LARGE_PART ? readInTurns(spelled) : digest(canonicalBody(spelled))
}

async function readInTurns({ dialect, body, bytes }: Spelled): Promise<string> {
  await nextTurn()
  const yieldIfDue = timeSlice()
  try {
    const sum = createHash('sha256')
    const writer = new BodyWriter(body, rulesOf(dialect))
    for (let done = false; !done; ) {
      done = writer.run(STEPS)
      if (done || writer.text.length >= PIECE) await addText(sum, writer.take(), yieldIfDue)
      await yieldIfDue()
    }
    return sum.digest('base64url')
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
  }
  // To spell its large numbers anew a body of this size would have to be parsed once more, in one go.
  const sum = createHash('sha256').update(AS_IT_STANDS)
  for (let at = 0; at < bytes.length; at += PIECE) {
    sum.update(bytes.subarray(at, at + PIECE))
    await yieldIfDue()
  }
  return sum.digest('base64url')
}

async function addText(sum: Hash, text: string, yieldIfDue: () => Promise<void> | undefined): Promise<void> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE, text.length)
    // Half a surrogate pair would be hashed as a replacement character, as any other half.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++
    sum.update(text.slice(at, end))
    at = end
    await yieldIfDue()
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
