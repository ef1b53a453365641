/** How long a limit counts before it begins anew, at UTC boundaries. */
export type WindowName = 'minute' | 'daily' | 'weekly' | 'monthly'

/** Milliseconds since 1970; `endsAt` is the first one of the next period. */
export interface Period {
  readonly beganAt: number
  readonly endsAt: number
}

const MINUTE = 60_000
const DAY = 86_400_000
/** 1970 began on a Thursday, three days after a Monday. */
const DAYS_SINCE_MONDAY = 3

/** The period of a window that a moment is in: a UTC minute, day, week from Monday, or month. */
export function periodAt(window: WindowName, now: number): Period {
  switch (window) {
    case 'minute':
      return from(now - mod(now, MINUTE), MINUTE)
    case 'daily':
      return from(now - mod(now, DAY), DAY)
    case 'weekly':
      return from(now - mod(now + DAYS_SINCE_MONDAY * DAY, 7 * DAY), 7 * DAY)
    case 'monthly': {
      const date = new Date(now)
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
      return { beganAt: Date.UTC(year, month), endsAt: Date.UTC(year, month + 1) }
    }
  }
}

const from = (beganAt: number, ms: number): Period => ({ beganAt, endsAt: beganAt + ms })

const mod = (a: number, b: number): number => ((a % b) + b) % b
