import { type Analysis, fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import { nameOf } from '../words/names.ts'
import type { Guard } from './guard.ts'

/** Between two things, these say which is which. */
const ARROWS = new Set(
  'to into onto from than over before after without unless although versus-than as by in minus against beat beats instead onto through under above below -> => > < divided per'.split(
    ' ',
  ),
)
/** Between two things, these do not: `a and b` is `b and a`, and `capital of France` is `France's capital`. */
const EVEN = new Set("and or versus vs of 's for with between about & , on at the a an is are do does i".split(' '))
const TOWARDS = new Set(['to', 'into', 'onto'])

/**
 * The same words in another order: harmless around `and` and `of`, another question around `to`, `from`, `than`, `into`
 * or a verb.
 */
export const direction: Guard = (a, b) => {
  const left = places(a)
  const right = places(b)
  if (left.size < 2 || right.size < 2 || (compares(a) && compares(b))) return undefined
  if (inOrder(left, right)) return undefined
  return turned(a, left, b, right) || turned(b, right, a, left) ? 'order' : undefined
}

const MUTUAL = new Set(
  'differ different difference differenc compar compare comparison versus vs distinguish alike similar similarity distinction'.split(
    ' ',
  ),
)
/** `how does a differ from b` asks what `how does b differ from a` asks; `is a better than b` does not. */
export const compares = fact(
  ({ tokens }) => tokens.some(({ stem }) => MUTUAL.has(stem)) && !tokens.some(({ text }) => text === 'than'),
)

/** Where each content word stands, first things first; a word that stands twice says nothing about order. */
const places = fact(({ tokens }) => {
  const found = new Map<string, number>()
  const twice = new Set<string>()
  for (const [i, one] of tokens.entries()) {
    if (isSetting(tokens, i)) continue
    if (one.kind === 'symbol' || (one.kind === 'word' && FUNCTION_WORDS.has(one.text) && !isLetterName(one, i)))
      continue
    const key = one.kind === 'word' ? one.stem : one.stem.toLowerCase()
    if (found.has(key)) twice.add(key)
    else found.set(key, i)
  }
  for (const key of twice) found.delete(key)
  return found
})

const TOOLS = new Set(['programming_language', 'product', 'system'])
const WITHIN = new Set('in on using with via'.split(' '))
const BEHIND = new Set('to into from vs versus or and than over better faster as like without instead'.split(' '))
/** `git undo a commit`, `undo a commit in git`: where it is done may stand before or behind. */
function isSetting(tokens: readonly Token[], i: number): boolean {
  const { kind, text = '' } = tokens[i] ?? {}
  if (kind !== 'word' || !TOOLS.has(nameOf(text)?.family ?? '')) return false
  const after = tokens[i + 1]
  if (!(i === 0 || WITHIN.has(tokens[i - 1]?.text ?? ''))) return false
  return (i === 0 ? after !== undefined : true) && !BEHIND.has(after?.text ?? '') && after?.kind !== 'symbol'
}

/** Does all that stands in both stand in the same order? Most pairs end here. */
function inOrder(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): boolean {
  let last = -1
  for (const key of left.keys()) {
    const at = right.get(key)
    if (at === undefined) continue
    if (at < last) return false
    last = at
  }
  return true
}

/** `table A`, `table B`. */
const isLetterName = ({ raw }: Token, i: number): boolean => i > 0 && /^[A-Z]$/.test(raw) && raw !== 'I'

function turned(
  { tokens: a }: Analysis,
  left: ReadonlyMap<string, number>,
  { tokens: b }: Analysis,
  right: ReadonlyMap<string, number>,
): boolean {
  const order = [...left]
  for (const [i, [first, at]] of order.entries()) {
    const next = order[i + 1]
    if (!next) break
    const [second, end] = next
    const [x, y] = [right.get(first), right.get(second)]
    if (x === undefined || y === undefined || x < y) continue
    const there = between(a, at, end)
    const back = between(b, y, x)
    // Nothing between them either way: `india attacks`, `attacks india`.
    if (there.length + back.length === 0) return true
    if (there.every(word => EVEN.has(word)) && back.every(word => EVEN.has(word))) continue
    if (isCompound(there, back) || isCompound(back, there)) continue
    if (sameRoles(a, at, end, b, x, y)) continue
    if ([...there, ...back].some(word => ARROWS.has(word)) || there.join(' ') === back.join(' ')) return true
  }
  return false
}

/** `tag in git`, `git tag`. */
const isCompound = (joined: readonly string[], bare: readonly string[]): boolean =>
  bare.length === 0 && joined.length > 0 && joined.every(word => EVEN.has(word) || word === 'in')

const between = (tokens: readonly Token[], from: number, to: number): string[] =>
  tokens.slice(from + 1, to).map(({ text }) => text)

/** `from A to B` and `to B from A` say the same: each thing keeps its own preposition. */
function sameRoles(a: readonly Token[], at: number, end: number, b: readonly Token[], x: number, y: number): boolean {
  const [p, q, r, s] = [before(a, at), before(a, end), before(b, x), before(b, y)]
  if (p === undefined || r === undefined || q === undefined || s === undefined) return false
  return side(p) === side(r) && side(q) === side(s) && side(p) !== side(q)
}

function before(tokens: readonly Token[], i: number): string | undefined {
  for (let at = i - 1; at >= Math.max(0, i - 3); at--) {
    const { text = '' } = tokens[at] ?? {}
    if (ARROWS.has(text) || EVEN.has(text)) {
      if (text === 'the' || text === 'a' || text === 'an') continue
      return text
    }
  }
  return undefined
}

const side = (word: string): string => (TOWARDS.has(word) ? 'to' : word)
