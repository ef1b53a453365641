import { MOST_JUDGED } from '../../plugins/layers/semantic-cache/engine/messages.ts'
import { mostCandidates } from '../../plugins/layers/semantic-cache/similar.ts'
import type { Labelled } from './fit.ts'
import { hitLabels, isSame, keyOf, type Row, streamRows } from './labelled.ts'
import { earlierNeighbours, indexNeighbours, type Near } from './neighbours.ts'
import type { Met, PairJudge, Said, Settings } from './pair-judge.ts'

/** The gateway's default. */
export const THRESHOLD = 0.85

/** A stream, the fillers that the cache holds before it, and the neighbours of each request among both. */
export interface Prepared {
  readonly name: string
  readonly rows: readonly Row[]
  readonly fillers: readonly string[]
  readonly earlier: readonly Near[][]
  readonly filled: readonly Near[][]
}

/** Where an answer came from: an earlier request, or a filler. */
type Origin = { readonly row: Row } | { readonly filler: string }

export interface Outcome {
  readonly row: Row
  /** Absent for a miss. */
  readonly by?: 'exact' | 'canonical' | 'similar'
  readonly origin?: string
  readonly filler?: boolean
  /** Of a hit; absent where nobody has labelled it. */
  readonly right?: boolean
  readonly met?: Met
  /** Did an earlier request have the same answer? */
  readonly repeatable: boolean
  /** Runs of the network. */
  readonly runs: number
  /** Why candidates were refused, and why it was not compared at all. */
  readonly refused: readonly string[]
  /** The candidates that were looked at, in order. */
  readonly considered: readonly Met[]
}

export interface Replay extends Settings {
  /** The least probability of a hit in a cache of so many entries. */
  bar(entries: number): number
  /** Serve the nearest, whatever the judge says. */
  readonly cosineOnly?: boolean
}

/** The first so many lines that a cache would compare. */
export const fillersOf = (lines: readonly string[], judge: PairJudge, count: number): string[] => {
  const found: string[] = []
  for (const line of lines) {
    if (found.length >= count) break
    const { comparable, refused } = judge.read(line)
    if (comparable && refused === undefined) found.push(line)
  }
  return found
}

export function prepare(name: string, fillers: readonly string[]): Prepared {
  const rows = streamRows(name)
  const texts = rows.map(({ prompt }) => prompt)
  return {
    name,
    rows,
    fillers,
    earlier: earlierNeighbours(texts, THRESHOLD),
    filled: indexNeighbours(texts, fillers, THRESHOLD),
  }
}

/** The same stream in a cache with other fillers. */
export const refill = (stream: Prepared, fillers: readonly string[]): Prepared => ({
  ...stream,
  fillers,
  filled: indexNeighbours(
    stream.rows.map(({ prompt }) => prompt),
    fillers,
    THRESHOLD,
  ),
})

const labels = hitLabels()

/** Replays a stream: exact key, canonical key, then the nearest in turn. Only misses become entries. */
export async function replay(stream: Prepared, judge: PairJudge, settings: Replay): Promise<Outcome[]> {
  const { rows, fillers } = stream
  const exact = new Map<string, Origin>()
  const canonical = new Map<string, Origin>()
  for (const filler of fillers) {
    exact.set(filler, { filler })
    canonical.set(judge.read(filler).canonical, { filler })
  }
  const entries = new Set<number>()
  const asked = new Map<string, Row[]>()
  const outcomes: Outcome[] = []
  for (const [i, row] of rows.entries()) {
    const { canonical: key, comparable, refused: unread } = judge.read(row.prompt)
    const found = { runs: 0, refused: [] as string[], considered: [] as Met[], met: undefined as Met | undefined }
    let origin = exact.get(row.prompt)
    let by: Outcome['by'] = origin && 'exact'
    if (!origin && unread === undefined) {
      origin = canonical.get(key)
      by = origin && 'canonical'
    }
    if (!origin && (unread !== undefined || !comparable)) found.refused.push(unread ?? 'not_comparable')
    else if (!origin) {
      const bar = settings.bar(entries.size + fillers.length)
      let asked = 0
      for (const { near, from } of nearest(stream, i, entries)) {
        near.met ??= judge.meet(row.prompt, 'row' in from ? from.row.prompt : from.filler)
        const { met } = near
        found.considered.push(met)
        const waiting = settings.cosineOnly ? SURE : judge.judge(met, settings)
        const said = waiting instanceof Promise ? await waiting : waiting
        if (said.judged) found.runs++
        if (said.reason === undefined && said.probability >= bar) {
          origin = from
          by = 'similar'
          found.met = met
          break
        }
        found.refused.push(said.reason ?? (said.judged ? 'improbable' : 'screened'))
        if (said.reason === undefined && ++asked === MOST_JUDGED) break
      }
    }
    const kin = asked.get(row.intent_id)
    outcomes.push({
      row,
      repeatable: kin !== undefined || row.also.some(id => asked.has(id)),
      runs: found.runs,
      refused: found.refused,
      considered: found.considered,
      ...(by && { by }),
      ...(found.met && { met: found.met }),
      ...(origin && judgedOf(row, origin)),
    })
    if (kin) kin.push(row)
    else asked.set(row.intent_id, [row])
    exact.set(row.prompt, origin ?? { row })
    if (unread !== undefined) continue
    // What was served by likeness is remembered under its own key.
    if (by !== 'canonical') canonical.set(key, origin ?? { row })
    if (!origin && comparable) entries.add(i)
  }
  return outcomes
}

const SURE: Said = { probability: 1, judged: false }

function judgedOf(row: Row, origin: Origin): Pick<Outcome, 'origin' | 'filler' | 'right'> {
  if ('row' in origin) {
    const { prompt } = origin.row
    return { origin: prompt, right: labels.get(keyOf(prompt, row.prompt)) ?? isSame(row, origin.row) }
  }
  const { filler } = origin
  const right = labels.get(keyOf(filler, row.prompt))
  return { origin: filler, filler: true, ...(right !== undefined && { right }) }
}

/** Different pairs that requests may meet, were all earlier ones in the cache: those the network would judge first. */
export async function metBy(streams: readonly Prepared[], judge: PairJudge): Promise<(Met & Labelled)[]> {
  const found = new Map<string, Met & Labelled>()
  for (const { rows, earlier } of streams)
    for (const [i, row] of rows.entries()) {
      const { canonical, comparable } = judge.read(row.prompt)
      if (!comparable) continue
      let judged = 0
      for (const { at } of earlier[i] ?? []) {
        const other = rows[at]
        if (!other || judge.read(other.prompt).canonical === canonical) continue
        const met = judge.meet(row.prompt, other.prompt)
        if (met.against.length > 0) continue
        if (judged++ === MOST_JUDGED) break
        const key = keyOf(row.prompt, other.prompt)
        found.set(key, { ...met, logit: await judge.weigh(met), same: labels.get(key) ?? isSame(row, other) })
      }
    }
  return [...found.values()]
}

/** Of the entries so far and the fillers. */
function* nearest(
  { rows, fillers, earlier, filled }: Prepared,
  i: number,
  entries: ReadonlySet<number>,
): Generator<{ near: Near; from: Origin }> {
  const [mine, others] = [(earlier[i] ?? []).filter(({ at }) => entries.has(at)), filled[i] ?? []]
  const most = mostCandidates(rows[i]?.prompt ?? '')
  let [a, b] = [0, 0]
  while (a + b < most) {
    const [one, other] = [mine[a], others[b]]
    if (one && (!other || one.cosine >= other.cosine)) {
      a++
      const row = rows[one.at]
      if (row) yield { near: one, from: { row } }
    } else if (other) {
      b++
      yield { near: other, from: { filler: fillers[other.at] ?? '' } }
    } else return
  }
}
