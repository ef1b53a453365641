import { type Facts, fact } from '../facts.ts'

/** Before a word these make its contrary: `safe`, `unsafe`. */
const PREFIXES = ['un', 'in', 'im', 'ir', 'il', 'dis', 'non', 'mis', 'de']

/** A word of one prompt alone and its contrary of the other alone. */
export function agreeOnPrefixes(a: Facts, b: Facts): boolean {
  const [left, right] = [words(a), words(b)]
  return !hasContrary(left, right) && !hasContrary(right, left)
}

const words = fact(({ said }) => new Set(said.flatMap(({ kind, text }) => (kind === 'word' ? [text] : []))))

function hasContrary(here: ReadonlySet<string>, there: ReadonlySet<string>): boolean {
  for (const word of here) {
    if (word.length < 3 || there.has(word)) continue
    for (const prefix of PREFIXES) if (there.has(prefix + word) && !here.has(prefix + word)) return true
  }
  return false
}
