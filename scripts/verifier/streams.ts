import { readFileSync } from 'node:fs'
import type { Analysis } from '../../plugins/layers/semantic-cache/analysis.ts'
import { cacheable } from '../../plugins/layers/semantic-cache/cacheable.ts'
import { canonicalKey } from '../../plugins/layers/semantic-cache/canonical.ts'
import { comparable } from '../../plugins/layers/semantic-cache/decide.ts'

/** One request of a labelled stream. */
export interface Row {
  readonly i: number
  readonly prompt: string
  readonly intent_id: string
  readonly also: readonly string[]
  readonly source: string
  readonly family: string
  readonly kind: string
  readonly tier: string
}

/** An earlier request that is near, and how near. */
interface Near {
  readonly at: number
  readonly cosine: number
}

export interface Stream {
  readonly rows: readonly Row[]
  readonly readings: readonly Analysis[]
  readonly keys: readonly string[]
  readonly levels: readonly ReturnType<typeof cacheable>[]
  readonly near: readonly (readonly Near[])[]
}

export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>

/** Reads a stream. For each request it finds for each request the `most` nearest of all earlier ones at or above `least`. */
export async function readStream(file: string, embed: Embed, least: number): Promise<Stream> {
  return streamOf(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
    embed,
    least,
  )
}

async function streamOf(rows: readonly Row[], embed: Embed, least: number, most = 48): Promise<Stream> {
  const vectors: Float32Array[] = []
  for (let i = 0; i < rows.length; i += 64)
    vectors.push(...(await embed(rows.slice(i, i + 64).map(({ prompt }) => prompt))))
  const near = vectors.map((vector, i) => {
    const found: Near[] = []
    for (let at = 0; at < i; at++) {
      const cosine = dot(vector, vectors[at])
      if (cosine >= least) found.push({ at, cosine })
    }
    return found.sort((a, b) => b.cosine - a.cosine).slice(0, most)
  })
  return {
    rows,
    readings: rows.map(({ prompt }) => comparable(prompt)),
    keys: rows.map(({ prompt }) => canonicalKey(prompt)),
    levels: rows.map(({ prompt }) => cacheable(prompt)),
    near,
  }
}

export function dot(a: Float32Array, b: Float32Array | undefined): number {
  let sum = 0
  if (b) for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/** May the answer to one request be served for the other? */
export const isSame = (a: Row, b: Row): boolean =>
  a.intent_id === b.intent_id || a.also.includes(b.intent_id) || b.also.includes(a.intent_id)

/** What the decision says about a pair: nothing for yes, else why not. */
export type Decide = (prompt: number, candidate: number, cosine: number) => string | undefined

export interface Hit {
  readonly row: Row
  readonly origin: Row
  readonly by: 'exact' | 'canonical' | 'similar'
  readonly right: boolean
  readonly cosine: number
}

/** Replays a stream: exact key, canonical key, then the best eight candidates in turn. Only misses become entries. */
export function replay(
  stream: Stream,
  decide: Decide,
  threshold: number,
  candidates = 8,
): { readonly hits: readonly Hit[]; readonly refused: Map<string, number> } {
  const exact = new Map<string, number>()
  const canonical = new Map<string, number>()
  const entries = new Set<number>()
  const hits: Hit[] = []
  const refused = new Map<string, number>()
  for (const [i, row] of stream.rows.entries()) {
    const key = stream.keys[i] ?? ''
    const level = stream.levels[i]
    let origin = exact.get(row.prompt)
    let by: Hit['by'] = 'exact'
    let cosine = 1
    if (origin === undefined && level === 'yes') {
      origin = canonical.get(key)
      by = 'canonical'
    }
    if (origin === undefined && level === 'yes') {
      by = 'similar'
      const found = (stream.near[i] ?? [])
        .filter(near => entries.has(near.at) && near.cosine >= threshold)
        .slice(0, candidates)
      for (const near of found) {
        const reason = decide(i, near.at, near.cosine)
        if (reason === undefined) {
          origin = near.at
          cosine = near.cosine
          break
        }
        refused.set(reason, (refused.get(reason) ?? 0) + 1)
      }
    }
    if (origin !== undefined) {
      const from = stream.rows[origin]
      if (from) hits.push({ row, origin: from, by, right: isSame(row, from), cosine })
      exact.set(row.prompt, origin)
      continue
    }
    exact.set(row.prompt, i)
    if (level === 'yes') canonical.set(key, i)
    if (level === 'yes') entries.add(i)
  }
  return { hits, refused }
}

export const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`

/** Shares of all requests, by source. */
export function summary(stream: Stream, hits: readonly Hit[]): string {
  const lines: string[] = []
  const row = (name: string, rows: number, some: readonly Hit[]): void => {
    const wrong = some.filter(({ right }) => !right).length
    const by = (kind: Hit['by']): number => some.filter(hit => hit.by === kind).length
    lines.push(
      `${name.padEnd(18)} ${String(rows).padStart(5)}  hits ${share(some.length, rows).padStart(8)}  false ${share(wrong, rows).padStart(7)} (${wrong})  exact ${by('exact')} canonical ${by('canonical')} similar ${by('similar')}`,
    )
  }
  const of = (test: (row: Row) => boolean): readonly [number, readonly Hit[]] => [
    stream.rows.filter(test).length,
    hits.filter(hit => test(hit.row)),
  ]
  row('all', ...of(() => true))
  row('gold', ...of(({ tier }) => tier === 'gold'))
  for (const source of new Set(stream.rows.map(one => one.source))) row(source, ...of(one => one.source === source))
  return lines.join('\n')
}
