// `npm run bench:semantic`: labelled traffic through the semantic cache and through simpler ones, each from an empty start.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { hitsChart } from './semantic-chart.ts'
import type { Variant } from './semantic-gateway.ts'
import { latencies } from './semantic-latency.ts'
import { type Replay, replayPairs, replayStream } from './semantic-replay.ts'
import { type Measured, semanticMarkdown } from './semantic-report.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shared = resolve(process.env.DEFLECTOR_SHARED ?? join(root, '../shared'))
const data = join(shared, 'data/semantic')
const evaluate = join(shared, 'tools/semantic-eval.mjs')
const STREAMS = ['stream_mixed.jsonl', 'stream_isartor_faq.jsonl']
/** Pairs written as traps; `BENCH_PAIRS=all` sends those of every source. */
const TRAPS = ['adv_dev', 'own_intents']

const pair = z.looseObject({ a: z.string(), b: z.string(), source: z.string() })

function variants(): { variants: Variant[]; leftOut: string[] } {
  const minilm = process.env.MINILM_MODEL_DIR
  const variants: Variant[] = [
    { name: 'ours' },
    { name: 'ours, cosine only', cosineOnly: true },
    { name: 'exact only', env: { SERVICE__CACHE_MODE: 'exact' } },
  ]
  if (!minilm) return { variants, leftOut: ['MiniLM at 0.85: MINILM_MODEL_DIR names no folder of it'] }
  const env = { SERVICE__EMBEDDING_MODEL: resolve(minilm), SERVICE__SIMILARITY_THRESHOLD: '0.85' }
  return { variants: [...variants, { name: 'MiniLM at 0.85, cosine only', cosineOnly: true, env }], leftOut: [] }
}

async function main(): Promise<void> {
  const missing = [evaluate, join(data, 'pairs.jsonl'), ...STREAMS.map(file => join(data, file))].find(
    file => !existsSync(file),
  )
  if (missing !== undefined) return console.log(`skipped: the labelled traffic is not here (${missing})`)
  const scratch = mkdtempSync(join(tmpdir(), 'deflector-bench-'))
  try {
    await measure({ root, evaluate, scratch })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function measure(replay: Replay): Promise<void> {
  const pairs = lines(join(data, 'pairs.jsonl')).map(line => pair.parse(JSON.parse(line)))
  const every = process.env.BENCH_PAIRS === 'all'
  const pairsFile = join(replay.scratch, 'pairs.jsonl')
  const sent = pairs.filter(({ source }) => every || TRAPS.includes(source))
  writeFileSync(pairsFile, sent.map(one => `${JSON.stringify(one)}\n`).join(''))

  const { variants: all, leftOut } = variants()
  const measured: Measured[] = []
  for (const variant of all) {
    console.error(`\n${variant.name}`)
    const streams = []
    for (const file of STREAMS) streams.push(await replayStream(replay, variant, join(data, file)))
    measured.push({ variant: variant.name, streams, pairs: await replayPairs(replay, variant, pairsFile) })
  }
  const latency = latencies([...new Set(pairs.flatMap(({ a, b }) => [a, b]))])
  const summary = {
    node: process.version,
    pairsOf: every ? 'all sources' : TRAPS.join(', '),
    leftOut,
    measured,
    latency,
  }
  const out = join(root, 'test/bench/out')
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'semantic.json'), `${JSON.stringify(summary, undefined, 2)}\n`)
  writeFileSync(join(out, 'semantic.md'), semanticMarkdown(summary))
  writeFileSync(join(out, 'semantic.svg'), hitsChart(measured))
  console.log(semanticMarkdown(summary))
}

const lines = (file: string): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean)

await main()
