// Makes what the network says a probability, and finds the bars: writes calibration.json beside the model.
//   node --conditions development --import tsx scripts/pair/calibrate.ts [--model folder] [--unknown wrong|ignored]
//     [--without-qqp] [--unlabelled file]
// Never reads the test part of our own pairs.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Calibration, probabilityOf } from '../../plugins/models/pair/calibration.ts'
import { type Fit, fitProbability, type Labelled, logLoss } from './fit.ts'
import { corpusLines, familyPairs, keyOf, root, STREAMS, shared, tablePairs } from './labelled.ts'
import { PairJudge } from './pair-judge.ts'
import { judgePairs } from './pair-tables.ts'
import { fillersOf, metBy, type Outcome, type Prepared, prepare, refill, replay } from './stream-replay.ts'
import { count, isQuora } from './stream-tables.ts'
import { percent, table } from './tables.ts'

/** Entries before the streams, which add their own: a thousand on average over both. */
const SIZES = [0, 1_000, 10_000, 50_000]
const OF_STREAMS = 1_000
const FALSE_REQUESTS = [0.001, 0.002, 0.003, 0.005, 0.01]
/** At less the likelier case would be a mistake. */
const LEAST = 0.5
const BARS = [
  ...Array.from({ length: 40 }, (_, i) => 0.5 + i / 100),
  ...Array.from({ length: 45 }, (_, i) => 0.9 + i / 500),
  ...Array.from({ length: 10 }, (_, i) => 0.99 + i / 1000),
]

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: `${root}models/deflector-pair` },
    unknown: { type: 'string', default: 'wrong' },
    'without-qqp': { type: 'boolean', default: false },
    unlabelled: { type: 'string' },
  },
})
const print = (text: string): void => void process.stdout.write(`${text}\n`)
if (!existsSync(shared)) {
  print(`${shared} is not here: nothing to calibrate on`)
  process.exit(0)
}
const judge = await PairJudge.open(values.model)
const PLAIN: Fit = { temperature: 1, shift: 0, likeness: { shared: 0, contained: 0, length: 0 } }

/**
 * On near pairs that no rule refuses, half of their weight from what requests of the streams meet and half from our own:
 * those were chosen for closeness, so that among them likeness says less than it does in a cache.
 */
async function fitted(): Promise<Fit> {
  const own = (
    await judgePairs([...familyPairs('calibrate'), ...tablePairs('calibrate')], judge, {
      calibration: PLAIN,
      bar: LEAST,
      unscreened: true, // the screen learns from what comes of this fit
    })
  ).flatMap(({ met, near, same, probability }) =>
    probability !== undefined && near && met?.logit !== undefined ? [{ ...met, logit: met.logit, same }] : [],
  )
  const met = await metBy(streams, judge)
  const often = Math.max(1, Math.round(own.length / met.length))
  const rows: Labelled[] = [...own, ...Array.from({ length: often }, () => met).flat()]
  const fit = fitProbability(rows)
  const { temperature, shift, likeness } = fit
  print(
    `${own.length} near pairs of our own part "calibrate" and ${met.length} of the streams: log loss ${logLoss(rows, PLAIN).toFixed(4)} before, ${logLoss(rows, fit).toFixed(4)} with temperature ${temperature.toFixed(3)}, shift ${shift.toFixed(3)} and likeness ${JSON.stringify(likeness)}`,
  )
  return fit
}

const lines = corpusLines()
const bySize = SIZES.map(size => fillersOf(lines, judge, size))
const streams = STREAMS.map(name => prepare(name, []))

async function replayed(some: readonly Prepared[], calibration: Fit, bar: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const stream of some) outcomes.push(...(await replay(stream, judge, { calibration, bar: () => bar })))
  return outcomes
}

/** Requests with a wrong hit; `ignored` ones are those that nobody has labelled. */
function wrongs(outcomes: readonly Outcome[], withoutQuora: boolean): { wrong: number; unknown: number; of: number } {
  const { wrong, unknown, requests } = count(withoutQuora ? outcomes.filter(one => !isQuora(one)) : outcomes)
  return { wrong: values.unknown === 'wrong' ? wrong + unknown : wrong, unknown, of: requests }
}

interface Point {
  readonly bar: number
  readonly hits: number
  readonly all: { wrong: number; unknown: number; of: number }
  readonly withoutQuora: { wrong: number; unknown: number; of: number }
}

/** Hits on fillers that a reader has yet to label, by key: at each bar others are hit. */
const unlabelled = new Map<string, { readonly probability: number; readonly line: string }>()

function remember(outcomes: readonly Outcome[], fit: Fit): void {
  for (const { by, right, origin = '', row, met } of outcomes) {
    if (!by || right !== undefined) continue
    const key = keyOf(origin, row.prompt)
    // A repeat of such a hit says nothing more.
    if (!met && unlabelled.has(key)) continue
    const p = met?.logit === undefined ? 1 : probabilityOf(met.logit, met.likeness, fit)
    unlabelled.set(key, { probability: p, line: [key, p.toFixed(3), origin, row.prompt].join('\t') })
  }
}

async function curve(some: readonly Prepared[], calibration: Fit): Promise<Point[]> {
  const points: Point[] = []
  for (const bar of BARS) {
    const outcomes = await replayed(some, calibration, bar)
    remember(outcomes, calibration)
    const hits = count(outcomes).hits
    points.push({ bar, hits, all: wrongs(outcomes, false), withoutQuora: wrongs(outcomes, true) })
  }
  return points
}

/** The least bar from which on every bar keeps within the share. */
function leastBar(points: readonly Point[], share: number, of: 'all' | 'withoutQuora'): Point | undefined {
  const beyond = points.findLastIndex(point => point[of].wrong > share * point[of].of)
  return points[beyond + 1]
}

const fit = await fitted()
const bars: Calibration['bars'] = []
const rows: (string | number)[][] = []
for (const [i, fillers] of bySize.entries()) {
  const filled = streams.map(stream => refill(stream, fillers))
  const points = await curve(filled, fit)
  const counted = values['without-qqp'] ? 'withoutQuora' : 'all'
  const falseRequests: [number, number][] = []
  for (const share of FALSE_REQUESTS) {
    const [all, without] = [leastBar(points, share, 'all'), leastBar(points, share, 'withoutQuora')]
    const chosen = counted === 'all' ? all : without
    if (chosen) falseRequests.push([share, Number(chosen.bar.toFixed(3))])
    const told = (point: Point | undefined, of: 'all' | 'withoutQuora'): (string | number)[] =>
      point
        ? [point.bar.toFixed(3), percent(point.hits, point.all.of), point[of].wrong, point[of].unknown]
        : ['-', '-', '-', '-']
    rows.push([OF_STREAMS + fillers.length, share, ...told(all, 'all'), ...told(without, 'withoutQuora')])
  }
  if (falseRequests.length > 0) bars.push({ entries: OF_STREAMS + (SIZES[i] ?? fillers.length), falseRequests })
}
judge.save()
const unknown = ['unlabelled']
print(
  table(
    ['entries', 'share', 'bar', 'hits %', 'wrong', ...unknown, 'bar without qqp', 'hits %', 'wrong', ...unknown],
    rows,
  ),
)
print(`unlabelled hits on fillers count as ${values.unknown === 'wrong' ? 'wrong' : 'right'}`)
if (values.unlabelled !== undefined) {
  // The likeliest first: those decide the bars.
  const listed = [...unlabelled.values()].sort((a, b) => b.probability - a.probability)
  writeFileSync(values.unlabelled, listed.map(({ line }) => `${line}\n`).join(''))
}
if (bars.length === 0) throw new Error('no bar keeps within any share')
const rounded = JSON.parse(JSON.stringify(fit), (_, value) =>
  typeof value === 'number' ? Number(value.toFixed(4)) : value,
)
const file = join(values.model, 'calibration.json')
writeFileSync(file, `${JSON.stringify({ ...rounded, bars })}\n`)
print(`${file} is written`)
