import { HARMLESS } from './labelled.ts'
import type { Outcome } from './stream-replay.ts'
import { countsOf, grouped, percent, table } from './tables.ts'

export interface Counted {
  readonly requests: number
  readonly hits: number
  readonly wrong: number
  /** Hits that nobody has labelled. */
  readonly unknown: number
  readonly exact: number
  readonly canonical: number
  readonly similar: number
  /** Requests whose answer came before. */
  readonly repeatable: number
  readonly repeated: number
  /** Misses, and those for which the network ran. */
  readonly misses: number
  readonly missesJudged: number
  /** Requests for which the network ran, and how often it ran. */
  readonly judged: number
  readonly runs: number
}

export function count(some: readonly Outcome[]): Counted {
  const of = (test: (one: Outcome) => boolean): number => some.filter(test).length
  return {
    requests: some.length,
    hits: of(one => one.by !== undefined),
    wrong: of(one => one.right === false),
    unknown: of(one => one.by !== undefined && one.right === undefined),
    exact: of(one => one.by === 'exact'),
    canonical: of(one => one.by === 'canonical'),
    similar: of(one => one.by === 'similar'),
    repeatable: of(one => one.repeatable),
    repeated: of(one => one.repeatable && one.right === true),
    misses: of(one => one.by === undefined),
    missesJudged: of(one => one.by === undefined && one.runs > 0),
    judged: of(one => one.runs > 0),
    runs: some.reduce((sum, { runs }) => sum + runs, 0),
  }
}

const HEAD = [
  '',
  'requests',
  'hits %',
  'false',
  'unknown',
  'false %',
  'of repeatable %',
  'exact',
  'canonical',
  'similar',
]
HEAD.push('judged %', 'of misses %', 'runs/request')

const rowOf = (name: string, c: Counted): (string | number)[] => [
  name,
  c.requests,
  percent(c.hits, c.requests),
  c.wrong,
  c.unknown,
  percent(c.wrong, c.requests),
  percent(c.repeated, c.repeatable, 1),
  c.exact,
  c.canonical,
  c.similar,
  percent(c.judged, c.requests, 1),
  percent(c.missesJudged, c.misses, 1),
  (c.runs / Math.max(1, c.requests)).toFixed(3),
]

/** Text from Quora may be measured with and never be learnt from, so it stands apart. */
export const isQuora = ({ row }: Outcome): boolean => row.source === 'qqp'

/** The tables of one stream. */
export function streamTables(title: string, outcomes: readonly Outcome[]): string {
  const part = (name: string, some: readonly Outcome[]): [string, readonly Outcome[]] => [name, some]
  const rows = [
    part('all', outcomes),
    part(
      'without qqp',
      outcomes.filter(one => !isQuora(one)),
    ),
    part(
      'harmless changes',
      outcomes.filter(({ row }) => HARMLESS.includes(row.kind)),
    ),
    part(
      '  without typos',
      outcomes.filter(({ row }) => HARMLESS.includes(row.kind) && row.kind !== 'typo'),
    ),
    // The case of words of four letters or more is harmless; that of a shorter one may make it a name.
    part(
      '  nor short names in another case',
      outcomes.filter(
        ({ row, refused }) => HARMLESS.includes(row.kind) && row.kind !== 'typo' && refused[0] !== 'short_name',
      ),
    ),
    ...[...grouped(outcomes, ({ row }) => row.source)].map(([name, some]) => part(`source ${name}`, some)),
    ...[...grouped(outcomes, ({ row }) => row.kind)].map(([name, some]) => part(`kind ${name}`, some)),
  ]
  return [
    `\n${title}\n`,
    table(
      HEAD,
      rows.map(([name, some]) => rowOf(name, count(some))),
    ),
    `\ncandidates refused: ${countsOf(outcomes.flatMap(({ refused }) => refused))}`,
  ].join('\n')
}

/** Hits that are wrong, or that nobody has labelled. */
export const shown = (outcomes: readonly Outcome[], probabilityOf: (one: Outcome) => number | undefined): string[] =>
  outcomes
    .filter(one => one.by !== undefined && one.right !== true)
    .map(one => {
      const probability = probabilityOf(one)?.toFixed(3) ?? '-'
      const what = one.right === false ? 'false' : 'unknown'
      return `  ${what} ${one.row.source}/${one.row.kind} ${one.by} ${probability} | ${one.origin} | ${one.row.prompt}`
    })
