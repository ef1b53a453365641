import type { Measured } from './load.ts'

export interface Case {
  readonly name: string
  readonly connections: number
  readonly run: () => Promise<Measured>
  /** The case of the same number of connections that this one is a ratio of. */
  readonly over?: string
  /** Pieces of text in each answer. */
  readonly tokens?: number
}

/** Median over the rounds, with the lowest and the highest. */
interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

interface Row {
  readonly name: string
  readonly connections: number
  readonly perSecond: Spread
  readonly p50: Spread
  readonly p99: Spread
  readonly firstByteP50: Spread
  /** Throughput over the named case's, round by round. */
  readonly ratio?: { readonly over: string; readonly value: Spread }
  readonly cpuUs: Spread
  /** Processor time over the named case's, round by round. */
  readonly cpuRatio?: Spread
  readonly tokensPerSecond?: Spread
  /** What the named case has not, in microseconds. */
  readonly addedPerToken?: Spread
}

interface Goal {
  readonly goal: string
  readonly measured: number
  readonly wanted: string
  readonly met: boolean
}

export interface Summary {
  readonly node: string
  readonly rows: readonly Row[]
  readonly goals: readonly Goal[]
}

const spread = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  return { median: at(Math.floor(sorted.length / 2)), low: at(0), high: at(sorted.length - 1) }
}

export function summarise(measured: ReadonlyMap<Case, readonly Measured[]>): Summary {
  const entries = [...measured]
  const rows = entries.map(([one, results]): Row => {
    const of = (pick: (m: Measured) => number): Spread => spread(results.map(pick))
    const base = entries.find(([other]) => other.name === one.over && other.connections === one.connections)?.[1]
    const ratios = base && results.map((result, round) => result.perSecond / (base[round]?.perSecond ?? Number.NaN))
    const { tokens } = one
    const cpu = (result: Measured | undefined): number => result?.cpuUs ?? Number.NaN
    const added = results.map(({ latency }, round) => latency.p50 - (base?.[round]?.latency.p50 ?? Number.NaN))
    return {
      name: one.name,
      connections: one.connections,
      perSecond: of(m => m.perSecond),
      p50: of(m => m.latency.p50),
      p99: of(m => m.latency.p99),
      firstByteP50: of(m => m.firstByte.p50),
      ...(one.over !== undefined && ratios && { ratio: { over: one.over, value: spread(ratios) } }),
      cpuUs: of(cpu),
      ...(base && { cpuRatio: spread(results.map((result, round) => cpu(result) / cpu(base[round]))) }),
      ...(tokens !== undefined && {
        tokensPerSecond: of(m => m.perSecond * tokens),
        addedPerToken: spread(added.map(ms => (1000 * ms) / tokens)),
      }),
    }
  })
  return { node: process.version, rows, goals: goals(rows) }
}

function goals(rows: readonly Row[]): Goal[] {
  const find = (name: string, connections: number): Row | undefined =>
    rows.find(row => row.name === name && row.connections === connections)
  const ratio = (name: string, connections: number): number =>
    find(name, connections)?.ratio?.value.median ?? Number.NaN
  const p50 = (name: string): number => find(name, 1)?.p50.median ?? Number.NaN
  const first = (name: string): number => find(name, 1)?.firstByteP50.median ?? Number.NaN
  const atLeast = (goal: string, measured: number, least: number): Goal => ({
    goal,
    measured,
    wanted: `>= ${least}`,
    met: measured >= least,
  })
  const atMost = (goal: string, measured: number, most: number, unit = ''): Goal => ({
    goal,
    measured,
    wanted: `<= ${most}${unit}`,
    met: measured <= most,
  })
  const added = (p50('miss') - p50('direct')) / (p50('floor proxy') - p50('direct'))
  return [
    atLeast('exact hit throughput over the floor, 1 KB, 16 connections', ratio('exact hit, 1 KB', 16), 0.4),
    atLeast(
      'exact hit throughput with a log line each over none, 1 KB, 16 connections',
      ratio('exact hit at info, 1 KB', 16),
      0.95,
    ),
    atLeast('miss throughput over the floor proxy, 16 connections', ratio('miss', 16), 0.5),
    atMost("added p50 of a miss over the floor proxy's own, 1 connection", added, 2),
    atLeast('streamed miss throughput over the floor proxy, 16 connections', ratio('miss, streamed', 16), 0.5),
    atLeast(
      'translated streamed throughput over that of one format, 16 connections',
      ratio('miss, streamed, translated', 16),
      0.67,
    ),
    atMost(
      'added p50 to the first token of a stream, 1 connection',
      first('miss, streamed') - first('direct, streamed'),
      2,
      ' ms',
    ),
  ]
}

export function markdown({ node, rows, goals }: Summary): string {
  const n = (value: number, digits = 2): string => value.toFixed(digits)
  const range = ({ median, low, high }: Spread, digits = 2): string =>
    `${n(median, digits)} (${n(low, digits)} to ${n(high, digits)})`
  const table = rows.map(
    row =>
      `| ${row.name} | ${row.connections} | ${range(row.perSecond, 0)} | ${range(row.p50)} | ${range(row.p99)} | ${range(row.firstByteP50)} | ${row.ratio ? `${range(row.ratio.value)} of ${row.ratio.over}` : ''} | ${range(row.cpuUs, 0)}${row.cpuRatio ? `, ${n(row.cpuRatio.median)} times` : ''} | ${row.tokensPerSecond ? range(row.tokensPerSecond, 0) : ''} | ${row.addedPerToken && row.ratio ? range(row.addedPerToken, 1) : ''} |`,
  )
  const reached = goals.map(
    goal => `| ${goal.goal} | ${goal.wanted} | ${n(goal.measured, 3)} | ${goal.met ? 'yes' : 'no'} |`,
  )
  return [
    `Node ${node}, loopback; medians of the rounds with the lowest and highest. Only the ratios travel to other machines.`,
    '',
    '| goal | wanted | measured | met |',
    '|---|---|---|---|',
    ...reached,
    '',
    '| case | connections | requests/s | p50 ms | p99 ms | first byte p50 ms | throughput ratio | CPU us a request | tokens/s | added us a token |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...table,
    '',
  ].join('\n')
}
