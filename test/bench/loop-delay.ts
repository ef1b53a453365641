// `npm run bench:loop`: how long large bodies, and many misses at once, keep the gateway's event loop from anybody else,
// and how long small requests wait beside bodies of 10 MB.
// The gateway is a process of its own, so that nobody else's work counts; every shape is compared with the idle loop.
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LARGE_BODIES } from '../support/large-bodies.ts'
import { besideLarge } from './beside.ts'
import { promptBody, shortBody } from './bodies.ts'
import { load } from './load.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rounds = Number(process.env.BENCH_ROUNDS ?? 20)
/** Milliseconds for each row of small requests beside large ones. */
const besideMs = Number(process.env.BENCH_MS ?? 5000)
const CHAT = '/v1/chat/completions'

interface Delays {
  readonly p99: number
  readonly max: number
  /** Processor time of the longest turn since it was asked to watch turns. */
  readonly longest: number
}

const delays = (gateway: ChildProcess): Promise<Delays> =>
  new Promise(resolve => {
    gateway.once('message', delays => resolve(delays as Delays))
    gateway.send('read')
  })

/** Processor time of the longest turn of the loop while `work` is done: the median of some rounds. */
async function longestTurn(gateway: ChildProcess, work: () => Promise<void>): Promise<number> {
  const seen: number[] = []
  for (let round = 0; round < 7; round++) {
    gateway.send('turns')
    await work()
    seen.push((await delays(gateway)).longest)
  }
  return median(seen)
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

async function main(gateway: ChildProcess, port: number): Promise<void> {
  const send = async (body: string): Promise<void> => {
    const reply = await fetch(`http://127.0.0.1:${port}${CHAT}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await reply.arrayBuffer()
  }
  const during = async (work: () => Promise<void>): Promise<Delays> => {
    const seen: Delays[] = []
    for (let round = 0; round < rounds; round++) {
      await pause(20)
      await delays(gateway)
      await work()
      seen.push(await delays(gateway))
    }
    const of = (key: keyof Delays): number => median(seen.map(each => each[key]))
    return { p99: of('p99'), max: of('max'), longest: of('longest') }
  }
  console.log(`| shape | p99 ms | longest ms |\n|---|---|---|`)
  const row = (name: string, { p99, max }: Delays): void =>
    console.log(`| ${name} | ${p99.toFixed(1)} | ${max.toFixed(1)} |`)
  row('idle', await during(() => pause(50)))
  let fresh = 0
  for (const [name, body] of Object.entries(LARGE_BODIES)) {
    const one = async (): Promise<void> => send(body.replace('"m"', `"m${fresh++}"`))
    await one()
    row(name, await during(one))
  }
  for (const [name, body] of [
    ['of 1 KB', () => promptBody(1024, fresh++)],
    ['of short questions', () => shortBody(fresh++)],
  ] as const) {
    const misses = () => load({ port, path: CHAT, connections: 64, ms: 500, body })
    await misses()
    row(`64 connections of misses ${name}`, await during(async () => void (await misses())))
  }
}

const env = {
  PATH: process.env.PATH,
  SERVICE_DATA_DIR: mkdtempSync(join(tmpdir(), 'deflector-bench-')),
  SERVICE__HOST: '127.0.0.1',
}
const servers = fileURLToPath(new URL('./servers.ts', import.meta.url))
const portOf = (server: ChildProcess): Promise<number> =>
  new Promise(resolve => server.once('message', port => resolve(Number(port))))
const upstream = fork(servers, ['upstream'], { execArgv: process.execArgv })
const upstreamPort = await portOf(upstream)
const proxy = fork(servers, ['proxy', String(upstreamPort)], { execArgv: process.execArgv })
const proxyPort = await portOf(proxy)
const gateway = fork('dist/surfaces/cli/main.js', ['up'], {
  cwd: root,
  execArgv: ['--import', './test/bench/loop-monitor.mjs'],
  env: {
    ...env,
    SERVICE__PORT: '0',
    SERVICE__EXTERNAL_LLM_URL: `http://127.0.0.1:${upstreamPort}/v1`,
    SERVICE__EXTERNAL_LLM_API_KEY: 'bench',
  },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
})
try {
  const { listening } = await new Promise<{ listening: string }>((resolve, reject) =>
    gateway.once('message', said => resolve(said as { listening: string })).once('exit', reject),
  )
  const port = Number(new URL(listening).port)
  await main(gateway, port)
  process.stdout.write('\n')
  await besideLarge({
    gateway: port,
    proxy: proxyPort,
    ms: besideMs,
    longestTurn: work => longestTurn(gateway, work),
  })
} finally {
  gateway.kill()
  proxy.kill()
  upstream.kill()
}
