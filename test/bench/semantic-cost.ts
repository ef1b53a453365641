import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readPrompt } from '../../plugins/models/pair/reading.ts'
import { corpusLines, familyPairs, root, tablePairs } from '../../scripts/pair/labelled.ts'
import { percent, table } from '../../scripts/pair/tables.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { load, type Measured, openLoad } from './load.ts'
import { cpuOf, mainThreadOf } from './processes.ts'
import { statsOf } from './semantic-stats.ts'

const CHAT = '/v1/chat/completions'
const CONNECTIONS = [1, 16, 64]
const SIZES = [0, 1_000, 10_000]
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const MS = Number(process.env.BENCH_MS ?? 1200)
/** Requests a second of the open loop, and how long each of its rounds takes. */
const RATE = 200
const OPEN_MS = 4000
/** Pairs of one answer that are asked for hits in other words. */
const PAIRS = 400
/** As many questions as no cache here holds, so that those asked anew are misses again. */
const ASKED = 40_000

/** A gateway that is measured, and what it is asked next. */
interface Lane {
  readonly name: string
  readonly gateway: Gateway
  /** Entries that it holds; `undefined`: it has no semantic cache. */
  readonly entries: number | undefined
  asked: number
}

interface Cost extends Measured {
  readonly hits: number
  /** Requests whose lookup was refused or came too late. */
  readonly busy: number
  /** Pairs that no rule refused: the screen or the network was asked. */
  readonly runs: number
  /** Milliseconds of processor time: of the gateway's main thread, and of its engine. */
  readonly main: number
  readonly engine: number
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** What a miss costs with the semantic cache and without it, in alternating rounds of one run. */
export async function costPart(): Promise<string> {
  const compared = { languages: new Set(['en'] as const), maxPieces: 64, areWork: () => false }
  const lines = corpusLines()
    .slice(0, 2 * ASKED)
    .filter(line => readPrompt(line, compared).comparable)
  const most = Math.max(...SIZES)
  // Some are answered by others, and so become no entries.
  const [fillers, questions] = [lines.slice(0, 1.5 * most), lines.slice(1.5 * most, 1.5 * most + ASKED)]
  const upstream = fork(fileURLToPath(new URL('./servers.ts', import.meta.url)), ['upstream'], {
    execArgv: process.execArgv,
  })
  const lanes: Lane[] = []
  try {
    const upstreamPort = await portOf(upstream)
    lanes.push(await laneOf('exact only', undefined, upstreamPort))
    for (const size of SIZES) lanes.push(await laneOf(`semantic, ${size} entries`, size, upstreamPort))
    for (const lane of lanes) await fill(lane, fillers)
    const ask = (lane: Lane): string => bodyOf(questions[lane.asked++ % questions.length] ?? '')
    return [await misses(lanes, ask), await steady(lanes, ask), await otherWords(lanes)].join('\n')
  } finally {
    await Promise.all(lanes.map(({ gateway }) => gateway.stop()))
    upstream.kill()
  }
}

const portOf = (server: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => server.once('message', port => resolve(Number(port))).once('exit', reject))

async function laneOf(name: string, entries: number | undefined, upstreamPort: number): Promise<Lane> {
  // A cache that holds one entry, another after each miss, is as good as empty.
  const capacity = String(Math.max(1, entries ?? Math.max(...SIZES)))
  const env = { SERVICE__CACHE_MAX_CAPACITY: capacity, SERVICE__CACHE_MODE: entries === undefined ? 'exact' : 'both' }
  return { name, entries, gateway: await startGateway(root, { name, env }, upstreamPort), asked: 0 }
}

const bodyOf = (content: string): string =>
  JSON.stringify({ model: 'bench-model', temperature: 0.5, messages: [{ role: 'user', content }] })

async function fill(lane: Lane, fillers: readonly string[]): Promise<void> {
  const { gateway, entries = 0 } = lane
  for (let from = 0; from < fillers.length && (await statsOf(gateway)).entries < entries; from += 500) {
    const some = fillers.slice(from, Math.min(from + 500, fillers.length))
    const body = (n: number): string | undefined => {
      const text = some[n]
      return text === undefined ? undefined : bodyOf(text)
    }
    await load({ port: gateway.port, path: CHAT, connections: 8, ms: 60_000, body })
  }
  await settled(gateway)
}

/** Until the engine has indexed what it was sent. */
async function settled({ pid }: Gateway): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const before = cpuOf(pid)
    await pause(200)
    const after = cpuOf(pid)
    if (after.own + after.children - before.own - before.children <= 20) return
  }
}

async function measured({ gateway }: Lane, run: (seen: (head: string) => void) => Promise<Measured>): Promise<Cost> {
  const [before, cpu, main] = [await statsOf(gateway), cpuOf(gateway.pid), mainThreadOf(gateway.pid)]
  let [hits, similar] = [0, 0]
  const result = await run(head => {
    if (!/^x-service-layer: l3\r?$/im.test(head)) hits++
    if (/^x-service-cache-reason: similar\r?$/im.test(head)) similar++
  })
  const [after, took] = [await statsOf(gateway), cpuOf(gateway.pid)]
  return {
    ...result,
    hits,
    busy: after.busy - before.busy,
    runs: after.improbable - before.improbable + similar,
    main: mainThreadOf(gateway.pid) - main,
    engine: took.children - cpu.children,
  }
}

type Ask = (lane: Lane) => string

async function misses(lanes: readonly Lane[], ask: Ask): Promise<string> {
  const run = (lane: Lane, connections: number): Promise<Cost> =>
    measured(lane, seen =>
      load({ port: lane.gateway.port, path: CHAT, connections, ms: MS, body: () => ask(lane), seen }),
    )
  for (const lane of lanes) await run(lane, 16) // compilers warm up
  const rows: (string | number)[][] = []
  const goals: Goal[] = []
  for (const connections of CONNECTIONS) {
    const costs = new Map<Lane, Cost[]>(lanes.map(lane => [lane, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (const [lane, some] of costs) some.push(await run(lane, connections))
    const exact = [...costs.values()][0] ?? []
    for (const [lane, some] of costs) {
      const over = (pick: (one: Cost, base: Cost) => number): number =>
        median(some.flatMap((one, round) => (exact[round] ? [pick(one, exact[round])] : [])))
      const throughput = over((one, base) => one.perSecond / base.perSecond)
      const added99 = over((one, base) => one.latency.p99 - base.latency.p99)
      const main = over((one, base) => one.main / one.requests / (base.main / base.requests))
      rows.push([
        lane.name,
        connections,
        median(some.map(one => one.perSecond)).toFixed(0),
        throughput.toFixed(2),
        over((one, base) => one.latency.p50 - base.latency.p50).toFixed(2),
        added99.toFixed(2),
        (1000 * over(one => one.main / one.requests)).toFixed(0),
        main.toFixed(2),
        (1000 * over(one => one.engine / one.requests)).toFixed(0),
        ...sharesOf(some),
      ])
      if (lane.entries === 10_000 && connections > 1) {
        const at = `${connections} connections, 10,000 entries`
        goals.push({
          goal: `throughput of misses over exact only, ${at}`,
          wanted: '>= 0.5',
          value: throughput,
          met: throughput >= 0.5,
        })
        goals.push({ goal: `added p99 ms, ${at}`, wanted: '<= 35', value: added99, met: added99 <= 35 })
        goals.push({
          goal: `main thread's CPU a miss over exact only, ${at}`,
          wanted: '<= 1.5',
          value: main,
          met: main <= 1.5,
        })
      }
    }
  }
  const head = [
    '',
    'connections',
    'requests/s',
    'ratio',
    'added p50 ms',
    'added p99 ms',
    'main thread us',
    'ratio',
    'CPU engine us',
  ]
  return [
    '\n## Cost of a miss\n',
    goalTable(goals),
    '\nMedians of alternating rounds; ratios and what is added are over exact only in the same round.',
    'Where the upstream and the load have no core of their own, they slow all.\n',
    table([...head, ...SHARES], rows),
  ].join('\n')
}

const SHARES = ['hits %', 'busy %', 'pairs judged a request']

function sharesOf(some: readonly Cost[]): string[] {
  const sum = (pick: (one: Cost) => number): number => some.reduce((total, one) => total + pick(one), 0)
  const requests = sum(one => one.requests)
  const shares = [sum(one => one.hits), sum(one => one.busy)].map(part => percent(part, requests))
  return [...shares, (sum(one => one.runs) / requests).toFixed(3)]
}

interface Goal {
  readonly goal: string
  readonly wanted: string
  readonly value: number
  readonly met: boolean
}

const goalTable = (goals: readonly Goal[]): string =>
  table(
    ['goal', 'wanted', 'measured', 'met'],
    goals.map(({ goal, wanted, value, met }) => [goal, wanted, value.toFixed(3), met ? 'yes' : 'no']),
  )

/** Open loop: a gateway that sheds work gains nothing by it here. */
async function steady(lanes: readonly Lane[], ask: Ask): Promise<string> {
  const costs = new Map<Lane, Cost[]>(lanes.map(lane => [lane, []]))
  for (let round = 0; round < 2; round++)
    for (const [lane, some] of costs)
      some.push(
        await measured(lane, seen =>
          openLoad({ port: lane.gateway.port, path: CHAT, rate: RATE, ms: OPEN_MS, body: () => ask(lane), seen }),
        ),
      )
  const rows = [...costs].map(([{ name }, some]) => [
    name,
    ...[0.5, 0.99].map(at => median(some.map(({ latency }) => (at === 0.5 ? latency.p50 : latency.p99))).toFixed(2)),
    ...sharesOf(some),
  ])
  const largest = costs.get(lanes.at(-1) ?? raise('no lanes')) ?? []
  const busy = largest.reduce((sum, one) => sum + one.busy, 0) / largest.reduce((sum, one) => sum + one.requests, 0)
  const goals = [{ goal: 'share of busy', wanted: '<= 0.01', value: busy, met: busy <= 0.01 }]
  return [
    `\n## Open loop, ${RATE} requests a second\n`,
    goalTable(goals),
    '',
    table(['', 'p50 ms', 'p99 ms', ...SHARES], rows),
  ].join('\n')
}

const raise = (message: string): never => {
  throw new Error(message)
}

/** How long a hit in other words takes, among the most entries and one at a time. */
async function otherWords(lanes: readonly Lane[]): Promise<string> {
  const lane = lanes.at(-1) ?? raise('no lanes')
  const pairs = [...tablePairs('train'), ...tablePairs('calibrate'), ...familyPairs('train')]
  const some = pairs.filter(({ same }) => same).slice(0, PAIRS)
  const times = new Map<string, number[]>()
  const askAll = async (texts: readonly string[], keep: boolean): Promise<void> => {
    const body = (n: number): string | undefined => {
      const text = texts[n]
      return text === undefined ? undefined : bodyOf(text)
    }
    const seen = (head: string, ms: number): void => {
      const of = (name: string): string => new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(head)?.[1] ?? ''
      const by = `${of('x-service-layer')} ${of('x-service-cache-reason')}`.trim()
      if (keep) times.set(by, [...(times.get(by) ?? []), ms])
    }
    await load({ port: lane.gateway.port, path: CHAT, connections: 1, ms: 60_000, body, seen })
  }
  await askAll(
    some.map(({ one }) => one),
    false,
  )
  await settled(lane.gateway)
  await askAll(
    some.map(({ other }) => other),
    true,
  )
  await askAll(
    some.map(({ other }) => other),
    true,
  )
  const similar = median(times.get('l1b similar') ?? [])
  const rows = [...times].sort(([a], [b]) => (a < b ? -1 : 1)).map(([by, ms]) => [by, ms.length, median(ms).toFixed(2)])
  return [
    '\n## Hits, one connection, 10,000 entries\n',
    goalTable([{ goal: 'p50 ms of a similar hit', wanted: '<= 5', value: similar, met: similar <= 5 }]),
    '',
    table(['answered by', 'requests', 'p50 ms'], rows),
  ].join('\n')
}
