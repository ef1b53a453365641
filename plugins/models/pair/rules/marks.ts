import { endMarks } from '../canonical.ts'
import { type Facts, fact } from '../facts.ts'

/** `the method empty?`, `the method empty!`: where all words are the same, the mark behind one is what differs. */
export const agreeOnMarks = (a: Facts, b: Facts): boolean =>
  said(a) !== said(b) || (endMarks(a) === endMarks(b) && innerMarks(a) === innerMarks(b))

const said = fact((facts: Facts) => facts.said.map(({ text }) => text).join(' '))

/** `what does empty? do`: behind a mark that ends a sentence a capital would follow. */
const innerMarks = fact(({ said }: Facts) =>
  said.map(({ gap, raw }, i) => (i > 0 && /^[?!]\s/.test(gap) && /^\p{Ll}/u.test(raw) ? gap.charAt(0) : '')).join(' '),
)
