import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root, STREAMS, shared } from '../../scripts/pair/labelled.ts'
import { table } from '../../scripts/pair/tables.ts'
import type { Variant } from './gateway.ts'
import { type Counts, replayStream, type StreamResult } from './semantic-replay.ts'

/** What the guards and the verifier did that the pair model replaced, at commit 2053dfd: in percent, and wrong hits. */
const BEFORE: Readonly<Record<(typeof STREAMS)[number], { readonly hits: number; readonly wrong: number }>> = {
  stream_mixed: { hits: 24.8, wrong: 1 },
  stream_isartor_faq: { hits: 39.4, wrong: 2 },
}
/** Percent of all requests: the least that are hits, and the most that are wrong. */
const WANTED: typeof BEFORE = {
  stream_mixed: { hits: 26, wrong: 0.3 },
  stream_isartor_faq: { hits: 40, wrong: 0.3 },
}
/** What is measured here is the judge: a slow machine shall lose no hits to the wait, which `cost` measures. */
const PATIENT = { SERVICE__SEMANTIC_WAIT_MS: '10000' }
const VARIANTS: readonly Variant[] = [
  { name: 'ours', env: PATIENT },
  {
    name: 'cosine only',
    pipeline: document => document.setIn(['layers', 'semantic-cache', 'options', 'decide'], 'cosine'),
  },
  { name: 'exact only', env: { SERVICE__CACHE_MODE: 'exact' } },
]
const SHOWN = 40
const HEAD = ['', 'requests', 'hits %', 'L1a', 'L1b', 'right of repeatable %', 'wrong', 'wrong %', '95 %']
const BUSY = 'busy'

/** Both streams through built gateways, each from an empty start. */
export async function streamsPart(): Promise<string> {
  const evaluate = join(resolve(shared, '..'), 'tools/semantic-eval.mjs')
  if (!existsSync(evaluate)) return `left out: ${evaluate} is not here`
  const scratch = mkdtempSync(join(tmpdir(), 'deflector-bench-'))
  const parts: string[] = []
  try {
    for (const name of STREAMS) {
      const measured: [string, StreamResult][] = []
      for (const variant of VARIANTS) {
        const file = join(shared, `semantic/${name}.jsonl`)
        measured.push([variant.name, await replayStream({ root, evaluate, scratch }, variant, file)])
      }
      parts.push(streamTables(name, measured))
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return parts.join('\n')
}

function streamTables(name: (typeof STREAMS)[number], measured: readonly (readonly [string, StreamResult])[]): string {
  const rows = measured.map(([variant, { all, busy }]) => [...rowOf(variant, all), busy])
  const { hits, wrong } = BEFORE[name]
  const requests = measured[0]?.[1].all.n ?? 0
  const wrongShare = ((100 * wrong) / requests).toFixed(2)
  rows.splice(1, 0, ['before (2053dfd)', requests, hits.toFixed(2), '', '', '', wrong, wrongShare, '', ''])
  const groups = measured.flatMap(([variant, { by_source, by_kind }]) =>
    variant === 'ours'
      ? [...Object.entries(by_source), ...Object.entries(by_kind)].map(([group, counts]) => rowOf(group, counts))
      : [],
  )
  const examples = measured[0]?.[1].false_examples ?? []
  const shown = examples.slice(0, SHOWN).map(({ asked = '', answered_from: from = '' }) => [asked, from])
  const wanted = WANTED[name]
  return [
    `\n## ${name}`,
    `\nWanted: at least ${wanted.hits} % hits, at most ${wanted.wrong} % wrong.\n`,
    table([...HEAD, BUSY], rows),
    '\nOurs, by source and by kind:\n',
    table(HEAD, groups),
    ...(shown.length > 0
      ? ['\nOur wrong hits, wrong labels among them:\n', table(['asked', 'answered as'], shown)]
      : []),
  ].join('\n')
}

const percent = (value: number | null): string => (value === null ? '-' : value.toFixed(2))

const rowOf = (name: string, c: Counts): (string | number)[] => [
  name,
  c.n,
  percent(c.hit_pct),
  c.l1a,
  c.l1b,
  percent(c.true_hit_rate_pct),
  c.falseHit,
  percent(c.false_hits_of_requests_pct),
  c.false_hits_ci95 === null ? '' : c.false_hits_ci95.map(one => percent(Math.max(0, one))).join(' to '),
]
