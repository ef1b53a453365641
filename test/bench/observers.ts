// `npm run bench:observers`: what those who watch requests cost: the same gateway with more and more of them, alternating
// in one run.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Document } from 'yaml'
import { promptBody } from './bodies.ts'
import { collector } from './collector.ts'
import { type Cost, cost, median } from './cost.ts'
import { type Gateway, startGateway, type Variant } from './gateway.ts'
import type { Load } from './load.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10)
const MS = Number(process.env.BENCH_MS ?? 1500)

/** Leaves these observers alone in the pipeline. */
const only =
  (...names: readonly string[]) =>
  (pipeline: Document): void => {
    const kept = names.map(name => [name, pipeline.getIn(['observers', name], true) ?? null] as const)
    pipeline.setIn(['observers'], pipeline.createNode(Object.fromEntries(kept)))
  }

function print(name: string, variants: readonly Variant[], rounds: readonly (readonly Cost[])[]): void {
  console.log(`\n| ${name} | requests/s | of the first | CPU us | times the first |\n|---|---|---|---|---|`)
  variants.forEach((variant, at) => {
    const of = (pick: (costs: readonly Cost[]) => number): string => median(rounds.map(pick)).toFixed(2)
    const share = of(costs => (costs[at]?.perSecond ?? 0) / (costs[0]?.perSecond ?? 0))
    const times = of(costs => (costs[at]?.cpuUs ?? 0) / (costs[0]?.cpuUs ?? 0))
    const perSecond = median(rounds.map(costs => costs[at]?.perSecond ?? 0)).toFixed(0)
    console.log(`| ${variant.name} | ${perSecond} | ${share} | ${of(costs => costs[at]?.cpuUs ?? 0)} | ${times} |`)
  })
}

let fresh = 0
const CASES: Readonly<Record<string, Load['body']>> = {
  'exact hit': () => promptBody(1024, -1),
  miss: () => promptBody(1024, fresh++),
  'streamed miss': () => promptBody(1024, fresh++, true),
}

async function main(upstream: ChildProcess): Promise<void> {
  const upstreamPort = await new Promise<number>(resolve => upstream.once('message', port => resolve(Number(port))))
  const { endpoint, close } = await collector()
  const books = ['usage', 'stats', 'request-log']
  const quiet = { SERVICE__CACHE_MODE: 'exact' }
  const logged = { ...quiet, SERVICE__ENABLE_REQUEST_LOGS: 'true' }
  const monitored = { ...quiet, SERVICE__ENABLE_MONITORING: 'true', OTEL_EXPORTER_ENDPOINT: endpoint }
  const variants: Variant[] = [
    { name: 'no observer', env: quiet, pipeline: only('credentials') },
    { name: 'ledger', env: quiet, pipeline: only('credentials', 'usage') },
    { name: 'ledger, stats, request log', env: logged, pipeline: only('credentials', ...books) },
    { name: 'as shipped', env: quiet },
    { name: 'as shipped, with monitoring', env: monitored },
  ]
  const chosen = variants.filter(({ name }) => new RegExp(process.env.BENCH_ONLY ?? '').test(name))
  const gateways: Gateway[] = []
  try {
    for (const variant of chosen) gateways.push(await startGateway(root, variant, upstreamPort))
    for (const [name, body] of Object.entries(CASES)) {
      const rounds: Cost[][] = []
      for (const gateway of gateways) await cost(gateway, body, MS)
      for (let round = 0; round < ROUNDS; round++) {
        const costs: Cost[] = []
        for (const gateway of gateways) costs.push(await cost(gateway, body, MS))
        rounds.push(costs)
      }
      print(`${name}, 16 connections`, chosen, rounds)
    }
  } finally {
    for (const gateway of gateways) await gateway.stop()
    close()
  }
}

const upstream = fork(join(root, 'test/bench/servers.ts'), ['upstream'], { execArgv: process.execArgv })
try {
  await main(upstream)
} finally {
  upstream.kill()
}
