// Replays the development streams and our own pairs through the judge, in process: seconds in place of a gateway's minutes.
//   node --conditions development --import tsx scripts/pair/replay.ts [--model folder] [--bar p] [--false-requests share]
//     [--fillers n] [--show] [--unlabelled file] [--part train|calibrate|test|dev|all] [--pairs file.tsv] [--pairs-only] [--ablate]
import { existsSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { barOf } from '../../plugins/models/pair/calibration.ts'
import { ablationTable } from './ablation.ts'
import {
  corpusLines,
  developmentPairs,
  familyPairs,
  keyOf,
  type Pair,
  type Part,
  pairsIn,
  root,
  STREAMS,
  shared,
  tablePairs,
} from './labelled.ts'
import { PairJudge } from './pair-judge.ts'
import { judgePairs, pairTables, reliability } from './pair-tables.ts'
import { fillersOf, type Outcome, prepare, type Replay, replay } from './stream-replay.ts'
import { shown, streamTables } from './stream-tables.ts'

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: `${root}models/deflector-pair` },
    bar: { type: 'string' },
    'false-requests': { type: 'string', default: '0.003' },
    fillers: { type: 'string', default: '0' },
    show: { type: 'boolean', default: false },
    unlabelled: { type: 'string' },
    part: { type: 'string' },
    pairs: { type: 'string' },
    'pairs-only': { type: 'boolean', default: false },
    ablate: { type: 'boolean', default: false },
  },
})
const print = (text: string): void => void process.stdout.write(`${text}\n`)
if (!existsSync(shared)) {
  print(`${shared} is not here: nothing to replay`)
  process.exit(0)
}
const judge = await PairJudge.open(values.model)
const { calibration } = judge
const wanted = Number(values['false-requests'])
const bar = (entries: number): number =>
  values.bar === undefined ? barOf(calibration, entries, wanted) : Number(values.bar)
const settings: Replay = { calibration, bar }
const fillers = Number(values.fillers) > 0 ? fillersOf(corpusLines(), judge, Number(values.fillers)) : []
const pairs = [
  ...(values.part === undefined ? [] : pairsOf(values.part)),
  ...(values.pairs ? pairsIn(values.pairs) : []),
]
const streams = values['pairs-only'] ? [] : STREAMS.map(name => prepare(name, fillers))

function pairsOf(part: string): Pair[] {
  if (part === 'dev') return developmentPairs()
  const split = part === 'all' ? undefined : (part as Part)
  return [...familyPairs(split), ...tablePairs(split)]
}

const probabilityOf = ({ met }: Outcome): number | undefined => {
  const said = met && judge.judge(met, settings)
  return said && 'probability' in said ? said.probability : undefined
}

const all: Outcome[] = []
for (const stream of streams) {
  const outcomes = await replay(stream, judge, settings)
  print(streamTables(`${stream.name}, ${fillers.length} fillers, bar ${bar(fillers.length).toFixed(3)}`, outcomes))
  if (values.show) print(shown(outcomes, probabilityOf).join('\n'))
  all.push(...outcomes)
}
if (streams.length > 1) print(streamTables('both streams', all))
const met = all.flatMap(({ considered }) => considered)
await judge.compareWithGateway(met.filter((_, i) => i % Math.ceil(met.length / 60) === 0))

if (values.unlabelled !== undefined) {
  const lines = all
    .filter(one => one.by !== undefined && one.right === undefined)
    .map(one => [
      keyOf(one.origin ?? '', one.row.prompt),
      probabilityOf(one)?.toFixed(3) ?? '-',
      one.origin,
      one.row.prompt,
    ])
  writeFileSync(values.unlabelled, [...new Set(lines.map(cells => `${cells.join('\t')}\n`))].join(''))
}
if (pairs.length > 0) {
  const judged = await judgePairs(pairs, judge, { calibration, bar: bar(fillers.length) })
  print(pairTables(`pairs, ${values.part ?? values.pairs}, bar ${bar(fillers.length).toFixed(3)}`, judged))
  print(reliability(judged))
  if (values.show)
    for (const one of judged)
      if (one.served && one.near && !one.same)
        print(`  trap ${one.kind} ${one.probability?.toFixed(3) ?? '-'} | ${one.one} | ${one.other}`)
}
if (values.ablate) print(await ablationTable(judge, { streams, pairs, settings, bar: bar(fillers.length) }))
judge.save()
