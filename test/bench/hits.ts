// `npm run bench:hits`: an answer found in other words beside one found word for word, at 16 connections. Each question
// is asked once, because the next time the exact cache has it.
import { fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { load } from './load.ts'
import { startGateway } from './semantic-gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const stream = join(
  resolve(process.env.DEFLECTOR_SHARED ?? join(root, '../shared')),
  'data/semantic/stream_mixed.jsonl',
)
const CONNECTIONS = 16
const LAYERS = ['l1a', 'l1b canonical', 'l1b similar'] as const

/** Where the labelled stream is absent: questions of our own, each in two ways. */
function ownQuestions(): string[] {
  const verbs = ['install', 'remove', 'update', 'configure', 'repair', 'clean', 'replace', 'test']
  const things = ['a printer', 'a water pump', 'the router', 'a bicycle chain', 'the office heating', 'a wood stove']
  const places = ['at home', 'in winter', 'in an old house', 'on a boat', 'for a beginner', 'without tools']
  const asked = verbs.flatMap(verb => things.flatMap(thing => places.map(place => `${verb} ${thing} ${place}`)))
  return [...asked.map(it => `How do I ${it}?`), ...asked.map(it => `What steps are needed if I want to ${it}?`)]
}

function questions(): string[] {
  if (!existsSync(stream)) return ownQuestions()
  const line = z.looseObject({ prompt: z.string() })
  const lines = readFileSync(stream, 'utf8').split('\n').filter(Boolean)
  return [...new Set(lines.map(text => line.parse(JSON.parse(text)).prompt))]
}

interface Asked {
  readonly ms: number
  readonly layer: string
}

/** All of them, each once, so many at a time. */
async function askAll(url: string, texts: readonly string[], connections = CONNECTIONS): Promise<Asked[]> {
  const asked: Asked[] = []
  const bodies = texts.map(text =>
    JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content: text }] }),
  )
  const header = (head: string, name: string): string =>
    new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
  await load({
    port: Number(new URL(url).port),
    path: '/v1/chat/completions',
    connections,
    ms: 60_000,
    body: n => bodies[n],
    seen: (head, ms) =>
      asked.push({ ms, layer: `${header(head, 'x-service-layer')} ${header(head, 'x-service-cache-reason')}`.trim() }),
  })
  return asked
}

/** Which questions an empty gateway would answer from others before them. One at a time, so that the order counts. */
async function split(url: string, texts: readonly string[]): Promise<{ fresh: string[]; similar: string[] }> {
  const fresh: string[] = []
  const similar: string[] = []
  const asked = await askAll(url, texts, 1)
  for (const [at, text] of texts.entries()) {
    const layer = asked[at]?.layer
    if (layer === 'l3') fresh.push(text)
    else if (layer === 'l1b similar') similar.push(text)
  }
  return { fresh, similar }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const upstream = fork(fileURLToPath(new URL('./servers.ts', import.meta.url)), ['upstream'], {
  execArgv: process.execArgv,
})
const upstreamPort = Number(await new Promise(resolve => upstream.once('message', resolve)))
const variant = { name: 'ours', env: { SERVICE__CACHE_MAX_CAPACITY: '100000' } }
const [scout, gateway] = [
  await startGateway(root, variant, upstreamPort),
  await startGateway(root, variant, upstreamPort),
]
try {
  const { fresh, similar } = await split(scout.url, questions())
  await askAll(gateway.url, fresh)
  const mannered = (round: number) => fresh.map(text => `${'please '.repeat(round % 2)}${text}${' '.repeat(round)}`)
  const measured = new Map<string, number[]>(LAYERS.map(layer => [layer, []]))
  const note = (all: readonly Asked[]): void => {
    for (const { ms, layer } of all) measured.get(layer)?.push(ms)
  }
  const share = Math.ceil(similar.length / 5)
  await askAll(gateway.url, mannered(9)) // compilers warm up
  for (let round = 0; round < 5; round++) {
    note(await askAll(gateway.url, fresh))
    note(await askAll(gateway.url, mannered(round + 1)))
    note(await askAll(gateway.url, similar.slice(round * share, (round + 1) * share)))
  }
  const exact = median(measured.get('l1a') ?? [])
  console.log(`| answered by | requests | median ms | over l1a |\n|---|---|---|---|`)
  for (const [layer, times] of measured)
    console.log(`| ${layer} | ${times.length} | ${median(times).toFixed(3)} | ${(median(times) / exact).toFixed(2)} |`)
} finally {
  await Promise.all([scout.stop(), gateway.stop()])
  upstream.kill()
}
