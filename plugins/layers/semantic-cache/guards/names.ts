import { type Analysis, fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { nameOf, saysName } from '../words/names.ts'
import type { Guard } from './guard.ts'

/** Languages, products, systems, places, days: a known name on one side only asks for another answer. */
export const knownNames: Guard = (a, b) => {
  const left = known(a)
  const right = known(b)
  return missing(left, right) ?? missing(right, left)
}

interface Found {
  readonly family: string
  readonly sure: boolean
}

function missing(a: ReadonlyMap<string, Found>, b: ReadonlyMap<string, Found>): string | undefined {
  for (const [name, { family, sure }] of a) if (sure && !b.has(name)) return family
  return undefined
}

const known = fact(analysis => {
  const found = new Map<string, Found>()
  for (const [i, { kind, text }] of analysis.tokens.entries()) {
    // A name inside a file name or a quotation is compared there.
    if (kind !== 'word') continue
    const name = nameOf(text) ?? (text.endsWith('s') ? nameOf(text.slice(0, -1)) : undefined)
    if (!name) continue
    const sure = !name.everyday || looksLikeName(analysis, i)
    found.set(name.name, { family: name.family, sure: sure || found.get(name.name)?.sure === true })
  }
  return found
})

const looksLikeName = (analysis: Analysis, i: number): boolean =>
  (isCapitalised(analysis.tokens, i) && !isLoud(analysis)) ||
  saysName(analysis.tokens[i - 1]?.text, analysis.tokens[i + 1]?.text)

const CAPITAL = /^\p{Lu}/u

/** A capital that does not begin a sentence. */
function isCapitalised(tokens: readonly Token[], i: number): boolean {
  const one = tokens[i]
  if (one?.kind !== 'word' || i === 0 || one.raw === one.text || one.raw === 'I' || !CAPITAL.test(one.raw)) return false
  return !/[.!?:\n"]/.test(one.gap)
}

/** Most Words Have A Capital, OR ALL LETTERS ARE: then capitals say nothing. */
const isLoud = fact(({ tokens }) => {
  const spoken = tokens.filter(({ kind, raw }) => kind === 'word' && raw.length > 1)
  const capital = spoken.filter(({ raw }) => CAPITAL.test(raw)).length
  return capital > 2 && capital / spoken.length > 0.7
})

/** Any other capitalised word is a name as well, and nobody can list those. */
export const capitalisedNames: Guard = (a, b) => (lacks(a, b) || lacks(b, a) ? 'names' : undefined)

function lacks(a: Analysis, b: Analysis): boolean {
  const names = capitalised(a)
  if (names.length === 0) return false
  const there = spelled(b)
  return names.some(one => !spellings(one).some(spelling => there.has(spelling)))
}

const capitalised = fact(analysis => {
  const found = analysis.tokens.filter(({ text }, i) => isCapitalised(analysis.tokens, i) && !FUNCTION_WORDS.has(text))
  return found.length > 0 && isLoud(analysis) ? [] : found
})

const spelled = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const one of tokens)
    for (const way of one.kind === 'quoted' ? one.text.split(/\s+/) : spellings(one)) found.add(way)
  return found
})

const spellings = ({ text, stem }: Token): string[] => [text, stem, nameOf(text)?.name ?? text]
