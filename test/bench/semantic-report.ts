import type { Latency } from './semantic-latency.ts'
import type { Counts, PairGroup, PairsResult, StreamResult } from './semantic-replay.ts'

export interface Measured {
  readonly variant: string
  readonly streams: readonly StreamResult[]
  readonly pairs: PairsResult
}

export interface SemanticSummary {
  readonly node: string
  readonly pairsOf: string
  readonly leftOut: readonly string[]
  readonly measured: readonly Measured[]
  readonly latency: readonly Latency[]
}

type Range = readonly [number, number] | null

/** 95 % interval in percent, as the evaluate computes those of the requests. */
export function wilson(hits: number, of: number): Range {
  if (of === 0) return null
  const z = 1.96
  const p = hits / of
  const middle = p + (z * z) / (2 * of)
  const width = z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))
  const scale = 100 / (1 + (z * z) / of)
  return [(middle - width) * scale, (middle + width) * scale]
}

const percent = (value: number | null): string => (value === null ? '-' : value.toFixed(2))
const withRange = (value: number | null, range: Range): string =>
  range === null ? percent(value) : `${percent(value)} (${percent(Math.max(0, range[0]))} to ${percent(range[1])})`

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly string[]): string[] => [
  row(...head),
  row(...head.map(() => '---')),
  ...rows,
  '',
]

export function semanticMarkdown({ node, pairsOf, leftOut, measured, latency }: SemanticSummary): string {
  const files = measured[0]?.streams.map(({ file }) => file) ?? []
  return [
    '# Semantic cache: true and false hits',
    '',
    `Node ${node}; every figure in percent unless it says otherwise, with 95 % Wilson intervals. An empty gateway for every`,
    'stream and every variant, default settings but for a time to live of a day.',
    ...leftOut.map(what => `\nLeft out: ${what}.`),
    '',
    ...files.flatMap(file => streamPart(file, measured)),
    ...pairsPart(pairsOf, measured),
    ...latencyPart(latency),
    ...examplesPart(measured[0]),
  ].join('\n')
}

/** The variants' figures side by side, group after group. */
function side<T>(found: readonly { readonly variant: string; readonly groups: Readonly<Record<string, T>> }[]) {
  const keys = [...new Set(found.flatMap(({ groups }) => Object.keys(groups)))].sort()
  return keys.flatMap(key =>
    found.flatMap(({ variant, groups }) => {
      const of = groups[key]
      return of === undefined ? [] : [{ key, name: `${key}: ${variant}`, of }]
    }),
  )
}

function streamPart(file: string, measured: readonly Measured[]): string[] {
  const found = measured.flatMap(({ variant, streams }) => {
    const stream = streams.find(one => one.file === file)
    return stream ? [{ variant, stream }] : []
  })
  const head = [
    '',
    'requests',
    'hits',
    'L1a',
    'L1b',
    'true hits of repeatable',
    'of these not verbatim',
    'false',
    'false of requests',
    'false of L1b hits',
  ]
  const told = (name: string, c: Counts): string =>
    row(
      name,
      c.n,
      percent(c.hit_pct),
      c.l1a,
      c.l1b,
      percent(c.true_hit_rate_pct),
      percent(c.semantic_true_hit_rate_pct),
      c.falseHit,
      withRange(c.false_hits_of_requests_pct, c.false_hits_ci95),
      withRange(c.false_of_l1b_pct, wilson(c.falseL1b, c.l1b)),
    )
  const parts = (['by_tier', 'by_source', 'by_kind'] as const).flatMap(by => [
    `### ${file}, ${by.replace('_', ' ')}`,
    '',
    ...table(
      head,
      side(found.map(({ variant, stream }) => ({ variant, groups: stream[by] }))).map(({ name, of }) => told(name, of)),
    ),
  ])
  const times = found.map(({ variant, stream: { latency_ms: ms } }) =>
    row(variant, ...['l1a', 'l1b', 'l3'].map(layer => percent(ms[layer]?.p50 ?? null))),
  )
  return [
    `## ${file}`,
    '',
    ...table(
      head,
      found.map(({ variant, stream }) => told(variant, stream.all)),
    ),
    'Median time of an answer, in ms, one request at a time:',
    '',
    ...table(['', 'L1a', 'L1b', 'upstream'], times),
    ...parts,
  ]
}

function pairsPart(of: string, measured: readonly Measured[]): string[] {
  const told = (name: string, c: PairGroup): string =>
    row(name, c.pos, percent(c.true_hit_pct), c.neg, c.negHit, withRange(c.false_hit_pct, c.false_ci95))
  const head = ['', 'same', 'true hits', 'other', 'false', 'false hits of other']
  const all = side(measured.map(({ variant, pairs: { groups } }) => ({ variant, groups })))
  const rows = (wanted: RegExp): string[] =>
    all.filter(({ key }) => wanted.test(key)).map(({ name, of }) => told(name.replace(/^(?:source|cat):/, ''), of))
  return [
    `## Pairs (${of})`,
    '',
    'Each pair in a session of its own: the first asked, then the second.',
    '',
    ...table(head, rows(/^ALL$|^source:/)),
    '### By trap category',
    '',
    ...table(head, rows(/^cat:/)),
  ]
}

function latencyPart(latency: readonly Latency[]): string[] {
  const us = (ms: number): string => (ms * 1000).toFixed(0)
  return [
    '## Embedding and lookup, in process',
    '',
    'The built-in model and the layer’s entries in one partition; microseconds.',
    '',
    ...table(
      ['entries', 'embed p50', 'embed p99', 'lookup p50', 'lookup p99'],
      latency.map(one => row(one.entries, us(one.embedP50), us(one.embedP99), us(one.lookupP50), us(one.lookupP99))),
    ),
  ]
}

const SHOWN = 40

/** What the first variant got wrong: labels have errors too, so somebody has to read them. */
function examplesPart(first: Measured | undefined): string[] {
  if (!first) return []
  const quote = (text: string): string => text.replaceAll('\n', ' ').replaceAll('|', '\\|').slice(0, 120)
  const list = (rows: readonly string[]): string[] => table(['asked', 'answered as'], rows.slice(0, SHOWN))
  const parts = [
    ...first.streams.map(({ file, false_examples: examples }) => ({
      title: file,
      rows: examples.flatMap(({ asked, answered_from: from }) =>
        asked && from ? [row(quote(asked), quote(from))] : [],
      ),
    })),
    { title: first.pairs.file, rows: first.pairs.false_examples.map(({ a, b }) => row(quote(b), quote(a))) },
  ]
  return [
    `## False hits of “${first.variant}”`,
    '',
    ...parts.flatMap(({ title, rows }) => (rows.length > 0 ? [`### ${title}`, '', ...list(rows)] : [])),
  ]
}
