import { IDF_TABLE } from './idf-table.ts'
import { stem } from './stem.ts'

/** Inverse document frequency, ln(lines / lines with the word), of what the table does not list. */
export const UNKNOWN = 9

const IDF = new Map(
  Object.entries(IDF_TABLE).flatMap(([idf, row]) => row.split(' ').map(one => [one, Number(idf)] as const)),
)

/** How rare a word is, from about 2 (everywhere) to `UNKNOWN`. */
export const idfOf = (word: string): number => IDF.get(stem(word)) ?? UNKNOWN

/** The same for what is a stem already. */
export const idfOfStem = (stemmed: string): number => IDF.get(stemmed) ?? UNKNOWN
