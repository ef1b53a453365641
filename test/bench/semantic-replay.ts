import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { freePort, startGateway, type Variant } from './gateway.ts'
import { statsOf } from './semantic-stats.ts'

const interval = z.tuple([z.number(), z.number()]).nullable()
const count = z.number().int()
const share = z.number().nullable()

/** What the evaluate counts over some requests of a stream; `_pct` are percentages, `null` without anything to divide by. */
const counts = z.object({
  n: count,
  err: count,
  l1a: count,
  l1b: count,
  hit: count,
  falseHit: count,
  falseL1b: count,
  hit_pct: share,
  true_hit_rate_pct: share,
  semantic_true_hit_rate_pct: share,
  false_hits_of_requests_pct: share,
  false_hits_ci95: interval,
  false_of_l1b_pct: share,
})
const groups = z.record(z.string(), counts)
const stream = z.object({
  file: z.string(),
  all: counts,
  by_source: groups,
  by_tier: groups,
  by_kind: groups,
  latency_ms: z.record(z.string(), z.object({ n: count, p50: share, p95: share, p99: share })),
  false_examples: z.array(z.looseObject({ asked: z.string().optional(), answered_from: z.string().optional() })),
})
const result = z.object({
  streams: z.array(stream),
  stale_answers: count,
  sanity: z.object({ sent: count, repeated_from_cache: count }),
})

export type Counts = z.infer<typeof counts>
export type StreamResult = z.infer<typeof stream> & {
  /** Requests whose lookup was refused or came too late. */
  readonly busy: number
}

export interface Replay {
  /** The checkout whose build is measured. */
  readonly root: string
  /** The program that sends the traffic and judges each hit by where its answer came from. */
  readonly evaluate: string
  /** A folder for its results. */
  readonly scratch: string
}

/** Sends one stream through a gateway that is started for it. Throws where a request failed or an answer was not its own. */
export async function replayStream(replay: Replay, variant: Variant, file: string): Promise<StreamResult> {
  const { streams, busy } = await judged(replay, variant, ['--stream', file, '--limit', '100000', '--limit-pairs', '0'])
  const [one] = streams
  if (!one || one.all.err > 0)
    throw new Error(`${variant.name}, ${basename(file)}: ${one?.all.err ?? 'all'} requests failed`)
  return { ...one, busy }
}

async function judged({ root, evaluate, scratch }: Replay, variant: Variant, what: readonly string[]) {
  const stubPort = await freePort()
  const gateway = await startGateway(root, variant, stubPort)
  try {
    const out = `${scratch}/result.json`
    const args = [evaluate, '--base-url', gateway.url, '--stub-port', String(stubPort), '--out', out, ...what]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${variant.name}: the replay ended with ${String(code)}`)
    const found = result.parse(JSON.parse(readFileSync(out, 'utf8')))
    if (found.stale_answers > 0) throw new Error(`${variant.name}: the gateway was not empty`)
    if (found.sanity.repeated_from_cache < found.sanity.sent) throw new Error(`${variant.name}: a repeat was no hit`)
    return { ...found, busy: (await statsOf(gateway)).busy }
  } finally {
    await gateway.stop()
  }
}
