import { type Facts, fact, hasAll } from '../facts.ts'
import { splitUnit } from '../numbers.ts'
import type { Token } from '../token.ts'

/** Case is compared only in flags (`-r`, `-R`), variables and escapes; people write the rest as they like. */
export const agreeOnCode = (a: Facts, b: Facts): boolean =>
  hasAll(codes(a), pieces(b)) && hasAll(codes(b), pieces(a)) && areSetAlike(settings(a), settings(b))

/** `3d4f` only begins like a number. */
const isCode = ({ kind, raw }: Token): boolean => kind === 'code' || (kind === 'number' && !splitUnit(raw))

const codes = fact(({ said }) => said.filter(isCode).map(({ text }) => bare(text)))

/** What each name is set to: `LANG=en`, `key = value`. */
const settings = fact(({ said }) => {
  const found = new Map<string, string>()
  for (const [i, { kind, text }] of said.entries()) {
    const [name, value] = [said[i - 1], said[i + 1]]
    if (kind === 'symbol' && text === '=' && name && value && name.kind !== 'number') found.set(name.text, value.text)
  }
  return found
})

function areSetAlike(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  for (const [name, value] of a) if ((b.get(name) ?? value) !== value) return false
  return true
}

/** `*.txt` files, `.txt` files and `txt` files are the same. */
const bare = (name: string): string => name.replace(/^\*?\.(?=\w)/, '')

/** All pieces, and those of quotations. */
const pieces = fact(({ said }) => {
  const found = new Set<string>()
  for (const { kind, text } of said) {
    found.add(bare(text))
    if (kind === 'quoted') for (const one of text.split(/\s+/)) found.add(bare(one))
  }
  return found
})

export const agreeOnSymbols = (a: Facts, b: Facts): boolean => signs(a) === signs(b)

const signs = fact(({ said }) => {
  const found: string[] = []
  for (const [i, { kind, text }] of said.entries())
    if (kind === 'symbol' && !(text === '=' && i === said.length - 1 && said[i - 1]?.kind === 'number'))
      found.push(text)
  return found.join(' ')
})

/** The marks around a name may be missing on one side. */
export const agreeOnQuotations = (a: Facts, b: Facts): boolean => isQuoted(a, b) && isQuoted(b, a)

function isQuoted(a: Facts, b: Facts): boolean {
  const [there, running] = [quotations(b), runningText(b)]
  for (const one of quotations(a)) if (!there.has(one) && !running.includes(` ${one} `)) return false
  return true
}

const quotations = fact(({ said }) => {
  const found = new Set<string>()
  for (const { kind, raw, text } of said)
    if (kind === 'quoted') found.add(isExact(raw) ? raw.slice(1, -1).trim() : spoken(text))
  return found
})

/** Of code and of a single letter case is a part. */
const isExact = (raw: string): boolean => raw.startsWith('`') || raw.length === 3

const runningText = fact(
  ({ said }) => ` ${said.map(({ text }) => spoken(text)).join(' ')} ${said.map(({ raw }) => raw).join(' ')} `,
)

const spoken = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[.,!?;:]+$/, '')
    .trim()
