// How many English texts are taken for another language, and the other way round.
//   node --conditions development --import tsx scripts/language/measure.ts [--show]
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { languageOf } from '../../plugins/models/pair/language.ts'
import { tokensOf } from '../../plugins/models/pair/tokens.ts'
import { familyPairs, languages, linesOf, pairsIn, root, STREAMS, shared, streamRows } from '../pair/labelled.ts'

const { values } = parseArgs({ options: { show: { type: 'boolean', default: false } } })
const print = (text: string): void => void process.stdout.write(`${text}\n`)
const isEnglish = (text: string): boolean => languageOf(text, tokensOf(text)) === 'en'

function table(name: string, texts: readonly string[], isWrong: (text: string) => boolean): void {
  const different = [...new Set(texts)]
  const wrong = different.filter(isWrong)
  const share = ((100 * wrong.length) / Math.max(1, different.length)).toFixed(2)
  print(`${name.padEnd(48)} ${String(wrong.length).padStart(5)} of ${String(different.length).padStart(6)}  ${share} %`)
  if (values.show) for (const text of wrong) print(`    ${text}`)
}
const isLost = (text: string): boolean => !isEnglish(text)
const isLong = (text: string): boolean => tokensOf(text).length > 3

const familyTexts = (language?: string): string[] =>
  // The part `train` is learnt from.
  (['calibrate', 'test'] as const).flatMap(part =>
    familyPairs(part, language).flatMap(({ one, other }) => [one, other]),
  )
const own = linesOf(join(root, 'scripts/language/own.tsv')).map(line => line.split('\t'))
const ownTexts = (wanted: (language: string) => boolean): string[] =>
  own.flatMap(([language = '', text = '']) => (wanted(language) ? [text] : []))

print('English that is taken for another language')
for (const name of STREAMS)
  table(
    name,
    streamRows(name).map(({ prompt }) => prompt),
    isLost,
  )
for (const name of ['open', 'qqp', 'restricted'])
  table(`corpus ${name}`, linesOf(join(shared, `corpus/corpus_${name}.txt.gz`)), isLost)
table('our families', familyTexts(), isLost)
for (const name of ['2026-11-22', '2026-11-24', '2026-11-25'])
  table(
    `unseen pairs ${name}`,
    pairsIn(join(root, `scripts/pair/own/unseen-${name}.tsv`)).flatMap(({ one, other }) => [one, other]),
    isLost,
  )
table(
  'own.tsv, full of names and foreign words',
  ownTexts(language => language === 'en'),
  isLost,
)

print('\nOther languages that are taken for English')
const others = {
  'our families': languages().flatMap(language => (language === 'zh' ? [] : familyTexts(language))),
  'own.tsv': ownTexts(language => language !== 'en'),
}
for (const [name, texts] of Object.entries(others)) {
  table(`${name}, four words or more`, texts.filter(isLong), isEnglish)
  table(
    `${name}, up to three`,
    texts.filter(text => !isLong(text)),
    isEnglish,
  )
}
