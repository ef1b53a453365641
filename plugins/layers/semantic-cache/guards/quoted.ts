import { type Analysis, fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import type { Guard } from './guard.ts'

/** What is quoted is worked on, so it must be there on both sides; the marks around a name may be missing. */
export const quoted: Guard = (a, b) => (missing(a, b) || missing(b, a) ? 'quoted' : undefined)

function missing(a: Analysis, b: Analysis): boolean {
  const quotes = quotesOf(a)
  if (quotes.size === 0) return false
  const [others, running] = [quotesOf(b), runningText(b)]
  for (const one of quotes) if (!others.has(one) && !running.includes(` ${one} `)) return true
  return false
}

const quotesOf = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const one of tokens) if (one.kind === 'quoted') found.add(said(one))
  return found
})

const runningText = fact(
  ({ tokens }) => ` ${tokens.map(one => spoken(one.text)).join(' ')} ${tokens.map(one => one.raw).join(' ')} `,
)

/** Of code and of a single letter case is a part. */
const said = ({ raw, text }: Token): string =>
  raw.startsWith('`') || raw.length === 3 ? raw.slice(1, -1).trim() : spoken(text)

const spoken = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[.,!?;:]+$/, '')
    .trim()
