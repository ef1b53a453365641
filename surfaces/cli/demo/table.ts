import type { Outcome } from './replay.ts'

const HEAD = ['request', 'surface', 'layer', 'deflected', 'ms'] as const

/** One line for each request, columns aligned. */
export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ ask, layer, deflected, ms, wrong }) => ({
    cells: [ask.label, ask.surface, layer, deflected ? 'yes' : 'no', ms.toFixed(1)],
    after: wrong === undefined ? '' : `  <- ${wrong}`,
  }))
  const all = [{ cells: [...HEAD], after: '' }, ...rows]
  const widths = HEAD.map((_, column) => Math.max(...all.map(({ cells }) => cells[column]?.length ?? 0)))
  const line = ({ cells, after }: (typeof all)[number]): string => {
    const padded = cells.map((cell, column) =>
      column === HEAD.length - 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    return padded.join('  ') + after
  }
  const rule = widths.map(width => '-'.repeat(width)).join('  ')
  return [...all.slice(0, 1).map(line), rule, ...rows.map(line)].join('\n')
}

/** The number of deflected requests, and the median latency of each layer. */
export function summary(outcomes: readonly Outcome[], cloudCalls: number): string {
  const deflected = outcomes.filter(outcome => outcome.deflected).length
  const layers = [...new Set(outcomes.map(({ layer }) => layer))].sort()
  const times = layers.map(layer => {
    const taken = outcomes.filter(outcome => outcome.layer === layer).map(({ ms }) => ms)
    return `${layer} ${median(taken).toFixed(1)} ms`
  })
  return `deflected ${deflected} of ${outcomes.length} requests, made ${cloudCalls} cloud calls; median latency: ${times.join(', ')}`
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}
