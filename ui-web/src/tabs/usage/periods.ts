/** Windows of usage. */
export const PERIODS = { today: 'Today', week: '7 days', month: '30 days', all: 'All kept' } as const
export type Period = keyof typeof PERIODS

export const isPeriod = (name: string | undefined): name is Period => name !== undefined && name in PERIODS

const HOUR_MS = 3_600_000
/** More than anybody keeps; the gateway answers for as much as there is. */
const EVER = 10 * 366 * 24

/** Hours until now. Books know hours alone: today begins with the hour of midnight, and lasts for one at least. */
export function hoursOf(period: Period, now: Date): number {
  if (period === 'week') return 7 * 24
  if (period === 'month') return 30 * 24
  if (period === 'all') return EVER
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  return Math.max(1, Math.floor((now.getTime() - midnight.getTime()) / HOUR_MS))
}

/** Hours of one bar. */
export const STEPS: Readonly<Record<Period, number>> = { today: 1, week: 6, month: 24, all: 24 }

/** In a sentence. */
export const SPOKEN: Readonly<Record<Period, string>> = {
  today: 'today',
  week: 'in the last 7 days',
  month: 'in the last 30 days',
  all: 'in all that is kept',
}
