import type { HrTime } from '@opentelemetry/api'

const NANOS = 1_000_000

/** Milliseconds since 1970 as seconds, and whole nanoseconds of the last one. */
export const hrTime = (ms: number): HrTime => {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.floor((ms - seconds * 1000) * NANOS)]
}
