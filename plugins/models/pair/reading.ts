import type { Before, Reading } from 'deflector'
import { canonicalText, type Parsed } from './canonical.ts'
import { type Language, languageOf } from './language.ts'
import { betweenManners, withoutManners } from './manners.ts'
import { asksForChange } from './other-changing.ts'
import { tokensOf } from './tokens.ts'
import { isVolatile } from './volatile.ts'
import { isShort, isWritten, pointsBack } from './written.ts'

/** What the judge was trained for. */
export interface Compared {
  readonly languages: ReadonlySet<Language>
  /** Word pieces of the longest prompt. Each token is one piece at least. */
  readonly maxPieces: number
}

/** Reads prompts, and what stands before them. */
export interface Reader extends Compared {
  /** See `Instructions.areWork`. */
  areWork(texts: readonly string[]): boolean
}

export function parse(text: string): Parsed {
  const tokens = tokensOf(text)
  return { text, tokens, language: languageOf(text, tokens), core: betweenManners(tokens) }
}

const ALONE: Before = { texts: [], follows: false }

/** Microseconds for a prompt written by hand, and a millisecond or two for instructions that are new. */
export function readPrompt(text: string, reader: Reader, before = ALONE): Reading {
  const { languages, maxPieces } = reader
  const { texts, follows } = before
  if (reader.areWork(texts)) return { canonical: '', comparable: false, refused: 'worked_on' }
  if (!isWritten(text)) return { canonical: '', comparable: false, refused: 'long_or_code' }
  const prompt = parse(text)
  const { tokens, language, core } = prompt
  // A text may be English, and be taken for another language; and the other way round.
  const volatile = isVolatile(withoutManners(tokens, core)) || asksForChange(prompt)
  const refused = volatile ? 'volatile' : follows && isShort(text) ? 'leans' : undefined
  return {
    canonical: canonicalText(prompt),
    comparable: !refused && languages.has(language) && tokens.length <= maxPieces && !(follows && pointsBack(text)),
    ...(refused && { refused }),
  }
}
