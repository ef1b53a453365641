import type { Token } from '../tokens.ts'
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

function known(tokens: readonly Token[]): Map<string, Found> {
  const found = new Map<string, Found>()
  for (const [i, one] of tokens.entries()) {
    // A name inside a file name or a quotation is compared there.
    if (one.kind !== 'word') continue
    const name = nameOf(one.text) ?? nameOf(one.text.replace(/s$/, ''))
    if (!name) continue
    const sure = !name.everyday || looksLikeName(tokens, i)
    found.set(name.name, { family: name.family, sure: sure || found.get(name.name)?.sure === true })
  }
  return found
}

const looksLikeName = (tokens: readonly Token[], i: number): boolean =>
  (isCapitalised(tokens, i) && !isLoud(tokens)) || saysName(tokens[i - 1]?.text, tokens[i + 1]?.text)

/** A capital that does not begin a sentence. */
function isCapitalised(tokens: readonly Token[], i: number): boolean {
  const one = tokens[i]
  if (one?.kind !== 'word' || i === 0 || one.raw === 'I' || !/^\p{Lu}/u.test(one.raw)) return false
  return !/[.!?:\n"]/.test(one.gap)
}

/** Most Words Have A Capital, OR ALL LETTERS ARE: then capitals say nothing. */
function isLoud(tokens: readonly Token[]): boolean {
  const spoken = tokens.filter(({ kind, raw }) => kind === 'word' && raw.length > 1)
  const capital = spoken.filter(({ raw }) => /^\p{Lu}/u.test(raw)).length
  return capital > 2 && capital / spoken.length > 0.7
}

/** Any other capitalised word is a name as well, and nobody can list those. */
export const capitalisedNames: Guard = (a, b) => (lacks(a, b) || lacks(b, a) ? 'names' : undefined)

function lacks(a: readonly Token[], b: readonly Token[]): boolean {
  const names = a.filter(({ text }, i) => isCapitalised(a, i) && !FUNCTION_WORDS.has(text))
  if (names.length === 0 || isLoud(a)) return false
  const there = new Set(b.flatMap(one => (one.kind === 'quoted' ? one.text.split(/\s+/) : spellings(one))))
  return names.some(one => !spellings(one).some(spelling => there.has(spelling)))
}

const spellings = ({ text, stem }: Token): string[] => [text, stem, nameOf(text)?.name ?? text]
