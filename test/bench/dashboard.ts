// `npm run bench:dashboard`: what ten viewers cost those who send prompts, and how fast tabs are in a real browser.
// The log has 10,000 requests then, and the books have 30 days.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Document } from 'yaml'
import { promptBody } from './bodies.ts'
import { type Cost, cost, median } from './cost.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { fillLog, inBrowser, writeBooks } from './pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 8)
const MS = Number(process.env.BENCH_MS ?? 2000)
const VIEWERS = 10
/** Of the pipeline: what is there for the dashboard and the terminal alone. */
const UNSEEN = [
  ['surfaces', 'dashboard'],
  ['surfaces', 'live-requests'],
  ['observers', 'live-requests'],
]

const hits = (gateway: Gateway): Promise<Cost> => cost(gateway, () => promptBody(1024, -1), MS)

/** Throughput and processor time of exact hits in two situations, alternating. */
async function compared(name: string, plain: () => Promise<Cost>, other: () => Promise<Cost>): Promise<void> {
  await plain()
  await other()
  const shares: number[] = []
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // Which comes first changes: a machine may slow down in the course of a round.
    const early = round % 2 === 0 ? undefined : await other()
    const first = await plain()
    const second = early ?? (await other())
    shares.push(second.perSecond / first.perSecond)
    times.push(second.cpuUs / first.cpuUs)
  }
  console.log(`\n| exact hits ${name} | median of ${ROUNDS} | each |\n|---|---|---|`)
  for (const [what, values] of [
    ['requests a second', shares],
    ['processor time a request', times],
  ] as const)
    console.log(`| ${what} | ${median(values).toFixed(3)} | ${values.map(value => value.toFixed(2)).join(' ')} |`)
}

async function viewed(gateway: Gateway): Promise<void> {
  const viewers = fork(fileURLToPath(new URL('./viewers.ts', import.meta.url)), [String(gateway.port)], {
    execArgv: process.execArgv,
  })
  const beside = async (count: number): Promise<Cost> => {
    viewers.send(count)
    await once(viewers, 'message')
    return hits(gateway)
  }
  try {
    const name = `beside ${VIEWERS} viewers, times those beside none`
    await compared(
      name,
      () => beside(0),
      () => beside(VIEWERS),
    )
  } finally {
    viewers.kill()
  }
}

async function main(upstream: ChildProcess): Promise<void> {
  const upstreamPort = await new Promise<number>(resolve => upstream.once('message', port => resolve(Number(port))))
  const quiet = { SERVICE__CACHE_MODE: 'exact' }
  const alone = await startGateway(root, { name: 'as shipped', env: quiet }, upstreamPort)
  const pipeline = (document: Document): void => {
    for (const path of UNSEEN) if (!document.deleteIn(path)) throw new Error(`no ${path.join('.')} in the pipeline`)
  }
  const unseen = await startGateway(root, { name: 'without dashboard', env: quiet, pipeline }, upstreamPort)
  try {
    const name = 'with nobody looking, times those of a gateway without dashboard and live stream'
    await compared(
      name,
      () => hits(unseen),
      () => hits(alone),
    )
    await viewed(alone)
  } finally {
    await unseen.stop()
    await alone.stop()
  }
  const env = { ...quiet, SERVICE__ENABLE_REQUEST_LOGS: 'true' }
  const full = await startGateway(root, { name: 'with a log', env, prepare: writeBooks }, upstreamPort)
  try {
    await fillLog(full)
    await inBrowser(full, ROUNDS)
  } finally {
    await full.stop()
  }
}

const upstream = fork(join(root, 'test/bench/servers.ts'), ['upstream'], { execArgv: process.execArgv })
try {
  await main(upstream)
} finally {
  upstream.kill()
}
