// `npm run bench:hits`: an answer found in other words beside one found word for word, at 16 connections. Each question
// is asked once, because the next time the exact cache has it; each round has a temperature, and so a partition, of its own.
import { fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { StaticModel } from '../../plugins/models/static/static-model.ts'
import { load } from './load.ts'
import { startGateway } from './semantic-gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const stream = join(
  resolve(process.env.DEFLECTOR_SHARED ?? join(root, '../shared')),
  'data/semantic/stream_mixed.jsonl',
)
const CONNECTIONS = 16
const ROUNDS = 8
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
async function askAll(url: string, texts: readonly string[], round = 0, connections = CONNECTIONS): Promise<Asked[]> {
  const asked: Asked[] = []
  const bodies = texts.map(text =>
    JSON.stringify({ model: 'bench-model', temperature: round / 100, messages: [{ role: 'user', content: text }] }),
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
  const asked = await askAll(url, texts, 0, 1)
  for (const [at, text] of texts.entries()) {
    const layer = asked[at]?.layer
    if (layer === 'l3') fresh.push(text)
    else if (layer === 'l1b similar') similar.push(text)
  }
  return { fresh, similar }
}

const mannered = (text: string): string => `please ${text} `

/** Median milliseconds of one embedding; as many as there are connections wait for one another. */
function embeddingMs(texts: readonly string[]): number {
  const model = StaticModel.open(join(root, 'models/deflector-static-384'))
  const times = texts.map(text => {
    const begun = performance.now()
    model.embed(text)
    return performance.now() - begun
  })
  return median(times.slice(times.length >> 1)) // the first half warms up
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const upstream = fork(fileURLToPath(new URL('./servers.ts', import.meta.url)), ['upstream'], {
  execArgv: process.execArgv,
})
const upstreamPort = Number(await new Promise(resolve => upstream.once('message', resolve)))
const variant = { name: 'ours', env: { SERVICE__CACHE_MAX_CAPACITY: '200000' } }
const [scout, gateway] = [
  await startGateway(root, variant, upstreamPort),
  await startGateway(root, variant, upstreamPort),
]
try {
  const { fresh, similar } = await split(scout.url, questions())
  const measured = new Map<string, number[]>(LAYERS.map(layer => [layer, []]))
  for (let round = 0; round <= ROUNDS; round++) {
    await askAll(gateway.url, fresh, round)
    const asked = [
      ...(await askAll(gateway.url, fresh, round)),
      ...(await askAll(gateway.url, fresh.map(mannered), round)),
      ...(await askAll(gateway.url, similar, round)),
    ]
    // In the first round compilers warm up.
    if (round > 0) for (const { ms, layer } of asked) measured.get(layer)?.push(ms)
  }
  const exact = median(measured.get('l1a') ?? [])
  const embedding = CONNECTIONS * embeddingMs(similar)
  console.log(
    '| answered by | requests | median ms | over l1a | less the embedding | mean ms |\n|---|---|---|---|---|---|',
  )
  for (const [layer, times] of measured) {
    const took = median(times)
    const rest = layer === 'l1b similar' ? took - embedding : took
    // With no request idle, those that must wait for a turn of the event loop are in the mean alone.
    const mean = times.reduce((sum, one) => sum + one, 0) / times.length
    const figures = [took.toFixed(3), (took / exact).toFixed(2), (rest / exact).toFixed(2), mean.toFixed(2)]
    console.log(`| ${[layer, times.length, ...figures].join(' | ')} |`)
  }
} finally {
  await Promise.all([scout.stop(), gateway.stop()])
  upstream.kill()
}
