/** Names of times on charts. */

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' })
const dayAndHour = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
/** Sums of days are those of UTC. */
const wholeDay = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

const DAY = 86_400

/** Under a line of the scale: midnights are days. `seconds` since 1970. */
export function tickName(seconds: number): string {
  const then = new Date(seconds * 1000)
  return then.getHours() === 0 && then.getMinutes() === 0 ? day.format(then) : hour.format(then)
}

/** The time that a bar stands for. */
export function bucketName(seconds: number, stepSeconds: number): string {
  const begin = new Date(seconds * 1000)
  if (stepSeconds >= DAY) return `${wholeDay.format(begin)} (UTC)`
  return `${dayAndHour.format(begin)} – ${hour.format(new Date((seconds + stepSeconds) * 1000))}`
}

/** Beginnings of all bars of a window that ends now, in seconds since 1970. */
export function barTimes(hours: number, stepHours: number, now: number): readonly number[] {
  const step = stepHours * 3600
  const last = Math.floor(now / 1000 / step) * step
  const first = Math.floor((now / 1000 - hours * 3600) / step) * step
  return Array.from({ length: (last - first) / step + 1 }, (_, at) => first + at * step)
}
