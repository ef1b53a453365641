import { RULES } from '../../plugins/models/pair/rules.ts'
import type { Pair } from './labelled.ts'
import type { PairJudge } from './pair-judge.ts'
import { countPairs, type JudgedPair, judgePairs } from './pair-tables.ts'
import { type Prepared, type Replay, replay } from './stream-replay.ts'
import { count } from './stream-tables.ts'
import { table } from './tables.ts'

export interface Ablated {
  readonly streams: readonly Prepared[]
  readonly pairs: readonly Pair[]
  readonly settings: Replay
  /** For the pairs. */
  readonly bar: number
}

/** What each rule is worth: the same without it. */
export async function ablationTable(judge: PairJudge, { streams, pairs, settings, bar }: Ablated): Promise<string> {
  const rows: (string | number)[][] = []
  const all = await judgePairs(pairs, judge, { ...settings, bar })
  for (const without of [undefined, ...RULES.map(({ id }) => id)]) {
    const changed = { ...settings, without }
    const figures: number[] = []
    for (const stream of streams) {
      const { hits, wrong, unknown } = count(await replay(stream, judge, changed))
      figures.push(hits, wrong, unknown)
    }
    // Only what this rule alone refuses can change.
    const isFreed = ({ met }: JudgedPair): boolean => met?.against.length === 1 && met.against[0] === without
    const freed = await judgePairs(all.filter(isFreed), judge, { ...changed, bar })
    const kept = all.filter(one => !isFreed(one))
    const { same, sameNear, traps, trapsNear } = countPairs([...kept, ...freed])
    rows.push([
      without === undefined ? 'all rules' : `without ${without}`,
      ...figures,
      `${sameNear} of ${same}`,
      `${trapsNear} of ${traps}`,
    ])
  }
  const columns = streams.flatMap(({ name }) => [`${name} hits`, 'false', 'unlabelled'])
  return `\nrules taken out alone\n\n${table(['', ...columns, 'same served', 'traps served'], rows)}`
}
