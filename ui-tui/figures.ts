/** Figures in few columns. */

/** `1,234`, and `1.2M` from a million on. */
export function count(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)}G`
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Of a second. */
export const rate = (value: number | undefined): string =>
  value === undefined ? '-' : value.toFixed(value < 10 ? 1 : 0)

export const share = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %`

/** `0.12 ms`, `34 ms`, `1.2 s`. What was measured in whole milliseconds is told so. */
export function duration(ms: number | null): string {
  if (ms === null) return '-'
  if (ms >= 100_000) return `${Math.round(ms / 1000)} s`
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 && !Number.isInteger(ms) ? 2 : 0)} ms`
}

/** `45 s`, `12 min`, `3 h 05 min`, `4 d 2 h`. */
export function since(secs: number): string {
  const minutes = Math.floor(secs / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes < 1) return `${Math.floor(secs)} s`
  if (hours < 1) return `${minutes} min`
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** `45 s`, `12 min`, `3 h`: no less than what is left. */
export function remaining(ms: number): string {
  const secs = Math.ceil(ms / 1000)
  if (secs < 100) return `${secs} s`
  const minutes = Math.ceil(secs / 60)
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

/** `14:03:12` where the terminal stands, and `Nov 24 14:03:12` on another day than that of `now`. */
export function localTime(at: number, now = at): string {
  const date = new Date(at)
  const time = date.toTimeString().slice(0, 8)
  const day = date.toDateString()
  return day === new Date(now).toDateString() ? time : `${day.slice(4, 10)} ${time}`
}

/** Below it, four decimals would hide what there is. */
const SMALL_USD = 0.01
const small = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2, useGrouping: false })

/** Cents matter little where there are hundreds of dollars; `null` where no price is known. */
export function usd(value: number | null): string {
  if (value === null) return 'unknown'
  if (value >= 100) return `$${count(value)}`
  if (value > 0 && value < SMALL_USD) return `$${small.format(value)}`
  return `$${value.toFixed(value >= 1 || value === 0 ? 2 : 4)}`
}

export const mebibytes = (bytes: number): string => `${Math.round(bytes / (1 << 20))} MiB`

const BARS = ' ▁▂▃▄▅▆▇█'

/** A bar for each value, the last ones where there are more than columns. */
export function bars(values: readonly number[], columns: number): string {
  const shown = columns > 0 ? values.slice(-columns) : []
  const most = Math.max(1, ...shown)
  return shown.map(value => BARS[Math.ceil((value / most) * (BARS.length - 1))] ?? ' ').join('')
}
