import type { Pair } from './labelled.ts'
import { cosineOf } from './neighbours.ts'
import type { Met, PairJudge, Settings } from './pair-judge.ts'
import { THRESHOLD } from './stream-replay.ts'
import { grouped, percent, table } from './tables.ts'

export interface JudgedPair extends Pair {
  readonly near: boolean
  /** Is the second answered from the first, were it near enough? */
  readonly served: boolean
  /** Of the network; absent where it is not asked. */
  readonly probability?: number
  readonly met?: Met
}

/** What the cache would do with each pair alone. */
export async function judgePairs(
  pairs: readonly Pair[],
  judge: PairJudge,
  settings: Settings & { readonly bar: number },
): Promise<JudgedPair[]> {
  const judged: JudgedPair[] = []
  for (const pair of pairs) {
    const [one, other] = [judge.read(pair.one), judge.read(pair.other)]
    const near = cosineOf(pair.one, pair.other) >= THRESHOLD
    const lookedUp = one.refused === undefined && other.refused === undefined
    if (!lookedUp || !one.comparable || !other.comparable || one.canonical === other.canonical) {
      // A canonical key is looked up whatever the vectors say.
      const served = lookedUp && one.canonical === other.canonical
      judged.push({ ...pair, near: near || served, served })
      continue
    }
    const met = judge.meet(pair.one, pair.other)
    const { probability, judged: asked } = await judge.judge(met, settings)
    judged.push({ ...pair, near, served: probability >= settings.bar, met, ...(asked && { probability }) })
  }
  return judged
}

export interface PairCounts {
  readonly same: number
  readonly sameServed: number
  readonly sameNear: number
  readonly traps: number
  readonly trapsServed: number
  readonly trapsNear: number
}

export function countPairs(some: readonly JudgedPair[]): PairCounts {
  const of = (test: (one: JudgedPair) => boolean): number => some.filter(test).length
  return {
    same: of(one => one.same),
    sameServed: of(one => one.same && one.served),
    sameNear: of(one => one.same && one.served && one.near),
    traps: of(one => !one.same),
    trapsServed: of(one => !one.same && one.served),
    trapsNear: of(one => !one.same && one.served && one.near),
  }
}

const HEAD = ['', 'same', 'served %', 'and near %', 'traps', 'served', '%', 'and near', '%']

/** By file and by class. */
export function pairTables(title: string, judged: readonly JudgedPair[]): string {
  const groups: [string, readonly JudgedPair[]][] = [
    ['all', judged],
    ...grouped(judged, ({ from }) => from),
    ...grouped(
      judged.filter(({ same }) => !same),
      ({ kind }) => `  trap ${kind}`,
    ),
    ...grouped(
      judged.filter(({ same, kind }) => same && kind !== 'same'),
      ({ kind }) => `  same ${kind}`,
    ),
  ]
  const rows = groups.map(([name, some]) => {
    const c = countPairs(some)
    const same = [c.same, percent(c.sameServed, c.same, 1), percent(c.sameNear, c.same, 1)]
    const traps = [c.traps, c.trapsServed, percent(c.trapsServed, c.traps), c.trapsNear, percent(c.trapsNear, c.traps)]
    return [name, ...same, ...traps]
  })
  return `\n${title}\n\n${table(HEAD, rows)}`
}

/** Predicted beside observed, by tenths of the probability, of near pairs that the network was asked about. */
export function reliability(judged: readonly JudgedPair[]): string {
  const asked = judged.flatMap(({ probability, same, near }) =>
    probability === undefined || !near ? [] : [{ probability, same }],
  )
  const tenths = grouped(asked, ({ probability }) => String(Math.min(9, Math.floor(10 * probability))))
  const rows = [...tenths].sort().map(([tenth, some]) => {
    const predicted = some.reduce((sum, { probability }) => sum + probability, 0)
    const range = `${Number(tenth) / 10} to ${(Number(tenth) + 1) / 10}`
    return [
      range,
      some.length,
      percent(predicted, some.length, 1),
      percent(some.filter(one => one.same).length, some.length, 1),
    ]
  })
  return `\nreliability, near pairs that the network judged\n\n${table(['probability', 'pairs', 'predicted same %', 'observed %'], rows)}`
}
