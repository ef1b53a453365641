import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../../../core/host.ts'
import { startGateway } from '../../support/gateway.ts'
import { tempFolder } from '../../support/opened.ts'
import { type Reply, startUpstream, type VendorCall } from '../../support/upstream.ts'
import { reached } from '../matrix/reached.ts'
import type { Agent, Place } from './agents.ts'

const SECRET = 'heliotrope 4711'
const COPY = 'copy.txt'
const PROMPT = `Read the file secret.txt, write its words into ${COPY}, and answer with them.`
const LIMIT_MS = 120_000

/** The same task, twice. */
export interface Done {
  readonly agent: Agent
  readonly vendor: string
  readonly normalised: boolean
  readonly runs: readonly Run[]
  readonly wrong: readonly string[]
}

interface Run {
  /** Layers that answered, in the order of the requests. */
  readonly layers: readonly string[]
  readonly wrong: readonly string[]
}

/** A model that reads the file, writes the copy and answers, whoever asks; an agent that has tools and does not send them is told a title. */
function model(agent: Agent, vendor: string, work: string) {
  const [from, to] = [join(work, 'secret.txt'), join(work, COPY)]
  return (call: VendorCall): Reply => {
    const answer = `The words are ${SECRET}.`
    if ('says' in agent) return { text: `${agent.says(COPY, SECRET)}\n${answer}` }
    const lines = reached(vendor, call.body ?? {})
    const read = agent.read(from)
    if (!lines.some(line => line.startsWith(`tool: ${read.name}(`))) return { text: 'A short title' }
    const results = lines.filter(line => line.startsWith('result ')).length
    const next = [read, agent.write(to, SECRET)][results]
    if (!next) return { text: answer }
    return { toolCalls: [{ id: `call_${results + 1}`, name: next.name, arguments: JSON.stringify(next.arguments) }] }
  }
}

/** Runs the task two times through one gateway. */
export async function doTwice(agent: Agent, packages: string, vendor: string, normalised: boolean): Promise<Done> {
  const layers: string[] = []
  const quiet = () => {}
  const log: Log = {
    debug: quiet,
    warn: quiet,
    error: quiet,
    info(message, fields) {
      if (message === 'request' && fields?.surface !== 'models') layers.push(String(fields?.layer))
    },
  }
  const upstream = await startUpstream()
  const gateway = await startGateway({
    upstream,
    provider: vendor,
    log,
    settings: { SERVICE__CACHE_NORMALIZE_AGENTS: String(normalised), SERVICE__CACHE_TTL_SECS: '3600' },
  })
  const place: Place = { url: gateway.url, home: tempFolder('home'), work: tempFolder('work'), prompt: PROMPT }
  for (const [file, text] of Object.entries(agent.files?.(place) ?? {})) {
    mkdirSync(dirname(join(place.home, file)), { recursive: true })
    writeFileSync(join(place.home, file), text)
  }
  writeFileSync(join(place.work, 'secret.txt'), SECRET)
  upstream.script(model(agent, vendor, place.work))
  const runs: Run[] = []
  try {
    for (const _ of ['first', 'again']) {
      const copy = join(place.work, COPY)
      rmSync(copy, { force: true })
      const { output, ended } = await started(agent, packages, place)
      const wrong = ended === 0 ? [] : [`it ended with ${ended}: ${output.slice(-600)}`]
      if (!existsSync(copy) || readFileSync(copy, 'utf8').trim() !== SECRET) wrong.push('the copy is not written')
      if (!output.includes(SECRET)) wrong.push(`its answer has not the words: ${output.slice(-600)}`)
      runs.push({ layers: layers.splice(0), wrong })
      if (wrong.length > 0) break
    }
  } finally {
    await gateway.close()
    await upstream.close()
  }
  return { agent, vendor, normalised, runs, wrong: runs.flatMap(({ wrong }) => wrong) }
}

/** Nothing but this machine can be reached: every proxy leads nowhere, and no variable of ours is handed on. */
const nowhere = 'http://127.0.0.1:9'
const ENV = {
  PATH: process.env.PATH ?? '',
  LANG: 'C.UTF-8',
  CI: '1',
  NO_COLOR: '1',
  HTTP_PROXY: nowhere,
  HTTPS_PROXY: nowhere,
  http_proxy: nowhere,
  https_proxy: nowhere,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
}

function started(agent: Agent, packages: string, place: Place): Promise<{ output: string; ended: number | string }> {
  const placed = (part: string): string =>
    ['node_modules', 'bin'].map(folder => join(packages, folder, part)).find(path => existsSync(path)) ?? part
  const [program = '', ...first] = agent.program.map(placed)
  return new Promise(resolve => {
    const child = spawn(program, [...first, ...agent.args(place)], {
      cwd: place.work,
      env: { ...ENV, HOME: place.home, TMPDIR: place.home, ...agent.env?.(place) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, which ends as one
    })
    let output = ''
    let late = false
    for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => (output += bytes))
    const end = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // the group is gone already
      }
    }
    const timer = setTimeout(() => {
      late = true
      end()
    }, LIMIT_MS)
    child.on('error', error => resolve({ output: String(error), ended: 'no start' }))
    child.on('close', code => {
      clearTimeout(timer)
      end()
      resolve({ output, ended: late ? `a kill after ${LIMIT_MS / 1000} s` : (code ?? 'a signal') })
    })
  })
}
