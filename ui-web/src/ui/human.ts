/** Numbers and times as people read them, in the language and the time zone of the browser. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** `1,204`, and from a hundred thousand on `1.2M`. */
export const count = (n: number): string => (n >= 100_000 ? compact.format(n) : whole.format(n))

/** Where there is little room: `1,204`, and from ten thousand on `12.3K`. */
export const short = (n: number): string => (n >= 10_000 ? compact.format(n) : whole.format(n))

/** `62.5%`. */
export const share = (part: number): string => percent.format(part)

/** `$4.31`; less than a cent with two digits that count; `null` where no price is known. */
export function usd(amount: number | null): string {
  if (amount === null) return 'unknown'
  const digits = amount === 0 || amount >= 0.1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(amount)))
  return dollars(digits).format(amount)
}

const dollarsBy = new Map<number, Intl.NumberFormat>()

/** A format takes longer to make than a hundred numbers to write. */
function dollars(digits: number): Intl.NumberFormat {
  const known = dollarsBy.get(digits)
  if (known) return known
  const format = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: Math.min(digits, 2),
    maximumFractionDigits: digits,
  })
  dollarsBy.set(digits, format)
  return format
}

/** `840 ms`, `2.4 s`, `3 min`. */
export function milliseconds(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.round(ms / 60_000)} min`
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const
/** `14.2 MB`. */
export function bytes(n: number): string {
  const step = n < 1 ? 0 : Math.min(Math.floor(Math.log(n) / Math.log(1024)), UNITS.length - 1)
  const amount = n / 1024 ** step
  return `${amount >= 100 || step === 0 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[step]}`
}

/** `3 d 4 h`, `12 min`. */
export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const days = Math.floor(hours / 24)
  if (days > 0) return `${days} d ${hours % 24} h`
  if (hours > 0) return `${hours} h ${minutes % 60} min`
  return minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`
}

/** Of today: `14:02:11`. Of another day: `3 Nov, 14:02`. */
export function moment(iso: string): string {
  const then = new Date(iso)
  return then.toDateString() === new Date().toDateString() ? time.format(then) : dayAndTime.format(then)
}
