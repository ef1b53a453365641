import type { Token } from '../tokens.ts'
import type { Guard } from './guard.ts'

/** What is quoted is worked on, so it must be there on both sides; the marks around a name may be missing. */
export const quoted: Guard = (a, b) => (missing(a, b) || missing(b, a) ? 'quoted' : undefined)

function missing(a: readonly Token[], b: readonly Token[]): boolean {
  const quotes = a.filter(({ kind }) => kind === 'quoted')
  if (quotes.length === 0) return false
  const others = new Set(b.filter(({ kind }) => kind === 'quoted').map(said))
  const running = ` ${b.map(one => spoken(one.text)).join(' ')} ${b.map(one => one.raw).join(' ')} `
  return quotes.some(one => !others.has(said(one)) && !running.includes(` ${said(one)} `))
}

/** Of code and of a single letter case is a part. */
const said = ({ raw, text }: Token): string =>
  raw.startsWith('`') || raw.length === 3 ? raw.slice(1, -1).trim() : spoken(text)

const spoken = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[.,!?;:]+$/, '')
    .trim()
