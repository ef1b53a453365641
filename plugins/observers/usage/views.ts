import type { Clock } from 'deflector'
import type { Books, DailyUsage, UsageRow, UsageTotals } from 'deflector/facets/books'
import { type Aggregates, HOUR_MS, HOURS_PER_DAY, hourOf } from './aggregates.ts'
import { addSums, noSums, type Sums } from './sums.ts'

interface Sources {
  readonly aggregates: Aggregates
  readonly clock: Clock
  settled(): Promise<void>
}

/** The books as surfaces read them. */
export function booksOf(
  { aggregates, clock, settled }: Sources,
  options: Pick<Books, 'folder' | 'retentionDays' | 'windowHours'>,
): Books {
  const first = (hours: number): number => hourOf(clock.now() - hours * HOUR_MS)
  return {
    ...options,
    settled,
    totals(hours) {
      const all = noSums()
      for (const sums of aggregates.rows('model', first(hours)).values()) addSums(all, sums)
      return totalsOf(all)
    },
    rows: hours => dearestFirst([...aggregates.rows('model', first(hours))].map(rowOf)),
    daily(hours) {
      const begin = first(hours)
      const days = new Set([...aggregates.hours].filter(hour => hour >= begin).map(dayOfHour))
      return [...days]
        .sort((a, b) => b - a)
        .flatMap(day => {
          const end = (day + 1) * HOURS_PER_DAY
          const rows = aggregates.rows('model', Math.max(begin, day * HOURS_PER_DAY), end)
          return dearestFirst([...rows].map(rowOf)).map((row): DailyUsage => ({ day: dateOf(day), ...row }))
        })
    },
    by: (dimension, hours) =>
      new Map([...aggregates.rows(dimension, first(hours))].map(([key, sums]) => [key, totalsOf(sums)])),
    timeline(dimension, hours, step) {
      const begin = first(hours)
      const starts = new Set([...aggregates.hours].filter(hour => hour >= begin).map(hour => hour - (hour % step)))
      return [...starts]
        .sort((a, b) => a - b)
        .flatMap(start =>
          [...aggregates.rows(dimension, Math.max(begin, start), start + step)].map(([key, sums]) => ({
            start: start * HOUR_MS,
            name: key.replace('\n', '/'),
            ...totalsOf(sums),
          })),
        )
    },
  }
}

const dayOfHour = (hour: number): number => Math.floor(hour / HOURS_PER_DAY)
const dateOf = (day: number): string => new Date(day * HOURS_PER_DAY * HOUR_MS).toISOString().slice(0, 10)

function rowOf([key, sums]: readonly [string, Sums]): UsageRow {
  const [provider = '', model = ''] = key.split('\n')
  return { provider, model, ...totalsOf(sums) }
}

function totalsOf(sums: Sums): UsageTotals {
  const { requests, deflected, reasoning, cachedRead, cacheWrite, completion, savedTokens, unpriced, estimated } = sums
  const known = (cost: number): number | undefined => (cost === 0 && unpriced > 0 ? undefined : cost)
  return {
    requests,
    deflected,
    promptTokens: sums.prompt + cachedRead + cacheWrite,
    cachedReadTokens: cachedRead,
    cacheWriteTokens: cacheWrite,
    completionTokens: completion,
    reasoningTokens: reasoning,
    savedTokens,
    costUsd: known(sums.cost),
    savedCostUsd: known(sums.saved),
    unpriced,
    estimated,
  }
}

const dearestFirst = (rows: UsageRow[]): UsageRow[] =>
  rows.sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.requests - a.requests || (a.model < b.model ? -1 : 1))
