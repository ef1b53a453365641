import { type Facts, fact } from '../facts.ts'
import { nameOf, saysName } from '../names.ts'
import { isStart, styleOf } from '../says-case.ts'
import type { Token } from '../token.ts'

/** A name that surely is one stands in both, under whichever of its spellings. */
export const agreeOnNames = (a: Facts, b: Facts): boolean => isNamed(names(a), names(b)) && isNamed(names(b), names(a))

/** Name to whether it surely is one. */
type Names = ReadonlyMap<string, boolean>

function isNamed(a: Names, b: Names): boolean {
  for (const [name, sure] of a) if (sure && !b.has(name)) return false
  return true
}

const names = fact(({ said }): Names => {
  const found = new Map<string, boolean>()
  for (const [i, { kind, text }] of said.entries()) {
    // A name inside a file name or a quotation is compared there.
    if (kind !== 'word') continue
    const name = nameOf(text) ?? (text.endsWith('s') ? nameOf(text.slice(0, -1)) : undefined)
    if (!name) continue
    const sure = !name.everyday || isCapitalised(said, i) || saysName(said[i - 1]?.text, said[i + 1]?.text)
    found.set(name.name, sure || found.get(name.name) === true)
  }
  return found
})

/** A capital that begins neither a sentence nor the words of a title. */
const isCapitalised = (tokens: readonly Token[], i: number): boolean =>
  /^\p{Lu}/u.test(tokens[i]?.raw ?? '') && !isStart(tokens, i) && styleOf(tokens) === 'plain'
