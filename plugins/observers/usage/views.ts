import type { Clock } from 'deflector'
import type { Books, DailyUsage, UsageRow, UsageTotals } from 'deflector/facets/books'
import { HOUR_MS, HOURS_PER_DAY, hourOf, type ReadableSums } from './aggregates.ts'
import { addSums, isEmpty, noSums, type Sums } from './sums.ts'

interface Sources {
  readonly sums: ReadableSums
  readonly clock: Clock
  settled(): Promise<void>
}

/** The books as surfaces read them. */
export function booksOf(
  { sums, clock, settled }: Sources,
  options: Pick<Books, 'folder' | 'retentionDays' | 'windowHours'>,
): Books {
  const first = (hours: number): number => hourOf(clock.now() - hours * HOUR_MS)
  return {
    ...options,
    settled,
    totals(hours) {
      const all = noSums()
      for (const one of sums.rows('model', first(hours)).values()) addSums(all, one)
      return totalsOf(all)
    },
    rows: hours => dearestFirst(rowsOf(sums.rows('model', first(hours)))),
    daily(hours) {
      const begin = first(hours)
      const days = new Set([...sums.hours].filter(hour => hour >= begin).map(dayOfHour))
      return [...days]
        .sort((a, b) => b - a)
        .flatMap(day => {
          const end = (day + 1) * HOURS_PER_DAY
          const rows = sums.rows('model', Math.max(begin, day * HOURS_PER_DAY), end)
          return dearestFirst(rowsOf(rows)).map((row): DailyUsage => ({ day: dateOf(day), ...row }))
        })
    },
    by: (dimension, hours) =>
      new Map([...sums.rows(dimension, first(hours))].map(([key, one]) => [key, totalsOf(one)])),
    timeline(dimension, hours, step) {
      const begin = first(hours)
      const starts = new Set([...sums.hours].filter(hour => hour >= begin).map(hour => hour - (hour % step)))
      return [...starts]
        .sort((a, b) => a - b)
        .flatMap(start =>
          [...sums.rows(dimension, Math.max(begin, start), start + step)].map(([key, one]) => ({
            start: start * HOUR_MS,
            name: key.replace('\n', '/'),
            ...totalsOf(one),
          })),
        )
    },
  }
}

const dayOfHour = (hour: number): number => Math.floor(hour / HOURS_PER_DAY)
const dateOf = (day: number): string => new Date(day * HOURS_PER_DAY * HOUR_MS).toISOString().slice(0, 10)

/** A model that was only asked in vain has no row. */
const rowsOf = (rows: ReadonlyMap<string, Sums>): UsageRow[] =>
  [...rows].filter(([, sums]) => !isEmpty(sums)).map(rowOf)

function rowOf([key, sums]: readonly [string, Sums]): UsageRow {
  const [provider = '', model = ''] = key.split('\n')
  return { provider, model, ...totalsOf(sums) }
}

function totalsOf(sums: Sums): UsageTotals {
  const { requests, deflected, failed, reasoning, cachedRead, cacheWrite, completion } = sums
  const { savedTokens, unpriced, unpricedSaved, estimated } = sums
  const known = (cost: number, without: number): number | undefined => (cost === 0 && without > 0 ? undefined : cost)
  return {
    requests,
    deflected,
    failed,
    promptTokens: sums.prompt + cachedRead + cacheWrite,
    cachedReadTokens: cachedRead,
    cacheWriteTokens: cacheWrite,
    completionTokens: completion,
    reasoningTokens: reasoning,
    savedTokens,
    costUsd: known(sums.cost, unpriced - unpricedSaved),
    savedCostUsd: known(sums.saved, unpricedSaved),
    unpriced,
    estimated,
  }
}

const dearestFirst = (rows: UsageRow[]): UsageRow[] =>
  rows.sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.requests - a.requests || (a.model < b.model ? -1 : 1))
