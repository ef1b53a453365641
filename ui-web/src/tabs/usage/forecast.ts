/** Where the use of a limit leads to, if it goes on as it did since its window began. */

interface Limited {
  readonly window: 'minute' | 'daily' | 'weekly' | 'monthly'
  readonly limit: number
  readonly used: number
  /** ISO 8601: the end of the window. */
  readonly resets_at: string
}

export interface Forecast {
  /** At the end of the window, in the unit of the limit. */
  readonly amount: number
  /** When the limit is reached, in milliseconds since 1970; absent where it is not, or has been. */
  readonly fullAt: number | undefined
}

const DAY_MS = 86_400_000
/** Before so much of a window is over, a line would lead anywhere. */
const LEAST = 0.02

/** `undefined` for a minute, for a window that has just begun, and for a limit that has been reached. */
export function forecastOf({ window, limit, used, resets_at }: Limited, now: number): Forecast | undefined {
  const end = Date.parse(resets_at)
  const begin = beginOf(window, end)
  if (begin === undefined || used >= limit) return undefined
  const over = (now - begin) / (end - begin)
  if (!(over >= LEAST && over <= 1)) return undefined
  const amount = used / over
  return { amount, fullAt: amount > limit ? begin + ((now - begin) * limit) / used : undefined }
}

function beginOf(window: Limited['window'], end: number): number | undefined {
  if (window === 'daily') return end - DAY_MS
  if (window === 'weekly') return end - 7 * DAY_MS
  if (window === 'minute') return undefined
  const begin = new Date(end)
  begin.setUTCMonth(begin.getUTCMonth() - 1)
  return begin.getTime()
}
