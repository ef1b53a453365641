import { endMarks } from '../canonical.ts'
import { type Facts, fact } from '../facts.ts'

/** `the method empty?`, `the method empty!`: where all words are the same, the mark at the end is what differs. */
export const agreeOnMarks = (a: Facts, b: Facts): boolean => said(a) !== said(b) || endMarks(a) === endMarks(b)

const said = fact((facts: Facts) => facts.said.map(({ text }) => text).join(' '))
