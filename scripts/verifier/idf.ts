// Fits the table of word frequencies on the open corpus: the commonest stems, in steps of half a unit.
//   node --conditions development --import tsx scripts/verifier/idf.ts ../shared/data/corpus/corpus_open.txt.gz
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { tokensOf } from '../../plugins/layers/semantic-cache/tokens.ts'
import { FUNCTION_WORDS } from '../../plugins/layers/semantic-cache/words/function-words.ts'

const [corpus = '../shared/data/corpus/corpus_open.txt.gz', words = '2200'] = process.argv.slice(2)
const lines = gunzipSync(readFileSync(corpus)).toString('utf8').split('\n').filter(Boolean)
const counts = new Map<string, number>()
for (const line of lines) {
  const stems = tokensOf(line).filter(
    one => one.kind === 'word' && !FUNCTION_WORDS.has(one.text) && /^[a-z]+$/.test(one.stem),
  )
  for (const one of new Set(stems.map(({ stem }) => stem))) counts.set(one, (counts.get(one) ?? 0) + 1)
}
const common = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, Number(words))
const rows = new Map<string, string[]>()
for (const [word, count] of common) {
  const idf = (Math.round(2 * Math.log(lines.length / count)) / 2).toFixed(1)
  rows.set(idf, [...(rows.get(idf) ?? []), word])
}
const table = [...rows].map(([idf, row]) => `  '${idf}':\n    '${row.sort().join(' ')}',`)
writeFileSync(
  new URL('../../plugins/layers/semantic-cache/words/idf-table.ts', import.meta.url),
  `/** Stems by inverse document frequency, fitted on the open corpus: \`npm run model:verifier\` writes this file. */
export const IDF_TABLE: Readonly<Record<string, string>> = {\n${table.join('\n')}\n}\n`,
)
process.stdout.write(
  `${common.length} stems of ${counts.size}, rarest in ${common.at(-1)?.[1]} of ${lines.length} lines\n`,
)
