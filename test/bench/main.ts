// `npm run bench`: the gateway against bare servers that do the least, alternating in one run, as ratios.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AT_ONCE, promptBody, TOKENS } from './bodies.ts'
import { type Load, load, type Measured } from './load.ts'
import { cpuOf } from './processes.ts'
import { type Case, markdown, summarise } from './report.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const ms = Number(process.env.BENCH_MS ?? 1500)
const lanes = [1, 16, 64]
const CHAT = '/v1/chat/completions'
const MESSAGES = '/v1/messages'
/** Only the cases whose name it matches: `BENCH_ONLY=streamed`. */
const only = new RegExp(process.env.BENCH_ONLY ?? '')

const children: ChildProcess[] = []
function server(role: string, ...args: string[]): Promise<number> {
  const child = fork(fileURLToPath(new URL('./servers.ts', import.meta.url)), [role, ...args], {
    execArgv: process.execArgv,
  })
  children.push(child)
  return new Promise((resolve, reject) =>
    child
      .once('message', port => {
        processes.set(Number(port), child)
        resolve(Number(port))
      })
      .once('exit', reject),
  )
}

/** By the port that each listens on. */
const processes = new Map<number, ChildProcess>()

/** A run, with the processor time that the server under test took for each request. */
async function timed(run: Load): Promise<Measured> {
  const pid = processes.get(run.port)?.pid ?? 0
  const before = cpuOf(pid).own
  const measured = await load(run)
  return { ...measured, cpuUs: (1000 * (cpuOf(pid).own - before)) / measured.requests }
}

let gateways = 0
/** The gateway as users run it: the built program, its own process, default settings but for the upstream and the log. */
async function gateway(upstream: number, level: 'info' | 'warn'): Promise<number> {
  const port = 18_000 + (process.pid % 1000) + 1000 * gateways++
  const dataDir = mkdtempSync(join(tmpdir(), 'deflector-bench-'))
  const env = {
    PATH: process.env.PATH,
    SERVICE_DATA_DIR: dataDir,
    SERVICE__LOG_LEVEL: level,
    SERVICE__HOST: '127.0.0.1',
    SERVICE__PORT: String(port),
    SERVICE__CACHE_MODE: 'exact',
    SERVICE__CACHE_TTL_SECS: '86400',
    SERVICE__EXTERNAL_LLM_URL: `http://127.0.0.1:${upstream}/v1`,
    SERVICE__EXTERNAL_LLM_API_KEY: 'bench',
  }
  const flags = process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : []
  const child = spawn(process.execPath, [...flags, 'dist/surfaces/cli/main.js', 'up'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', level === 'warn' ? 'inherit' : openSync(join(dataDir, 'log'), 'a')],
  })
  children.push(child)
  processes.set(port, child)
  for (let tries = 0; tries < 100; tries++) {
    const up = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (up?.ok) return port
    await new Promise(done => setTimeout(done, 100))
  }
  throw new Error('the gateway did not come up; run `npm run prepare` first')
}

let fresh = 0
async function main(): Promise<void> {
  const upstream = await server('upstream')
  const [floor, proxy, gate, logging] = await Promise.all([
    server('floor'),
    server('proxy', String(upstream)),
    gateway(upstream, 'warn'),
    gateway(upstream, 'info'),
  ])
  const once =
    (size: number, stream = false) =>
    () =>
      promptBody(size, fresh++, stream)
  const same = (size: number) => () => promptBody(size, -1)
  const cases: Case[] = []
  for (const connections of lanes) {
    const run = (port: number, body: () => string) => () => timed({ port, path: CHAT, connections, ms, body })
    for (const [label, size] of [
      ['1 KB', 1024],
      ['100 KB', 102_400],
    ] as const) {
      cases.push({ name: `floor, ${label}`, connections, run: run(floor, same(size)) })
      cases.push({ name: `exact hit, ${label}`, connections, run: run(gate, same(size)), over: `floor, ${label}` })
      const logged = { name: `exact hit at info, ${label}`, over: `exact hit, ${label}` }
      cases.push({ ...logged, connections, run: run(logging, same(size)) })
    }
    cases.push({ name: 'direct', connections, run: run(upstream, once(1024)) })
    cases.push({ name: 'floor proxy', connections, run: run(proxy, once(1024)), over: 'direct' })
    cases.push({ name: 'miss', connections, run: run(gate, once(1024)), over: 'floor proxy' })
    const tokens = TOKENS
    const streamed = once(1024, true)
    cases.push({ name: 'direct, streamed', connections, tokens, run: run(upstream, streamed) })
    const proxied = 'floor proxy, streamed'
    cases.push({ name: proxied, connections, tokens, run: run(proxy, streamed), over: 'direct, streamed' })
    cases.push({ name: 'miss, streamed', connections, tokens, run: run(gate, streamed), over: proxied })
    const together = () => promptBody(1024, fresh++, true, { user: AT_ONCE })
    const held = 'floor proxy, stream in one write'
    cases.push({ name: held, connections, tokens, run: run(proxy, together) })
    cases.push({ name: 'miss, stream in one write', connections, tokens, run: run(gate, together), over: held })
    const translated = () => promptBody(1024, fresh++, true, { max_tokens: 100 })
    const ask = () => timed({ port: gate, path: MESSAGES, connections, ms, body: translated })
    cases.push({ name: 'miss, streamed, translated', connections, tokens, run: ask, over: 'miss, streamed' })
  }
  const chosen = cases.filter(({ name }) => only.test(name))
  for (const { run } of chosen) await warm(run)
  const measured = new Map<Case, Measured[]>(chosen.map(one => [one, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [one, results] of measured) results.push(await one.run())
    console.error(`round ${round + 1} of ${rounds}`)
  }
  const summary = summarise(measured)
  const out = join(root, 'test/bench/out')
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'bench.json'), `${JSON.stringify(summary, undefined, 2)}\n`)
  writeFileSync(join(out, 'bench.md'), markdown(summary))
  console.log(markdown(summary))
}

/** One unmeasured pass: compilers warm up and caches fill. */
const warm = (run: () => Promise<Measured>): Promise<Measured> => run()

try {
  await main()
} finally {
  for (const child of children) child.kill()
}
