import type { ReplyHeaders } from './headers.ts'

/**
 * How long a vendor asks us to wait, in milliseconds; `undefined` when it does not say. Never negative, and not capped:
 * the caller knows what it can bear.
 *
 * First what is meant as an answer to this very call (`retry-after-ms`, `retry-after`), then what describes the limits:
 * those of which nothing remains count before the others, and of several the one that opens last.
 */
export function retryAfterMs(headers: ReplyHeaders, now: number): number | undefined {
  return (
    milliseconds(headers['retry-after-ms']) ??
    secondsOrDate(headers['retry-after'], now) ??
    resetTime(headers['x-ratelimit-reset'], now) ??
    latestReset(headers, now)
  )
}

function milliseconds(value: string | undefined): number | undefined {
  const number = decimal(value)
  return number === undefined ? undefined : Math.ceil(number)
}

/** RFC 9110, section 10.2.3: seconds or an HTTP date. Vendors also send fractions of a second. */
function secondsOrDate(value: string | undefined, now: number): number | undefined {
  const seconds = decimal(value)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  return duration(value) ?? dateFromNow(value, now)
}

/** Seconds from now, seconds or milliseconds since 1970 (told apart by their size), a duration or a date. */
function resetTime(value: string | undefined, now: number): number | undefined {
  const number = decimal(value)
  if (number === undefined) return duration(value) ?? dateFromNow(value, now)
  if (number > 1e11) return Math.max(0, Math.ceil(number - now))
  if (number > 1e8) return Math.max(0, Math.ceil(number * 1000 - now))
  return Math.ceil(number * 1000)
}

function latestReset(headers: ReplyHeaders, now: number): number | undefined {
  let spent: number | undefined
  let any: number | undefined
  for (const [name, value] of Object.entries(headers)) {
    const limit = /^x-ratelimit-reset-(.+)$/.exec(name)?.[1]
    const other = /^anthropic-ratelimit-(.+)-reset$/.exec(name)?.[1]
    if (limit === undefined && other === undefined) continue
    const wait = resetTime(value, now)
    if (wait === undefined) continue
    const remaining =
      headers[limit === undefined ? `anthropic-ratelimit-${other}-remaining` : `x-ratelimit-remaining-${limit}`]
    if (decimal(remaining) === 0) spent = Math.max(spent ?? 0, wait)
    any = Math.max(any ?? 0, wait)
  }
  return spent ?? any
}

function dateFromNow(value: string | undefined, now: number): number | undefined {
  // Date.parse takes a bare number for a year, so something of a date must be there.
  if (value === undefined || !/[A-Za-z]/.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : Math.max(0, time - now)
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The durations of Go: `1m30s`, `6ms`, `1h0m0.5s`. */
function duration(value: string | undefined): number | undefined {
  const text = value?.trim() ?? ''
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(number) * (UNITS[unit] ?? 0)
  return Math.ceil(total)
}

function decimal(value: string | undefined): number | undefined {
  const text = value?.trim() ?? ''
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
}
