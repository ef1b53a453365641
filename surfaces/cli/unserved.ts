import { systemClock } from '../../core/clock.ts'
import type { Log } from '../../core/host.ts'
import { hostLog } from '../../core/host-log.ts'
import { Keep } from '../../core/keep.ts'

/** What a command prints is its own; plugins that it looks at say nothing. */
export const quietLog = hostLog(
  { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } satisfies Log,
  systemClock,
)

/** What stands around a generation that a command builds to look at, and that serves nobody. */
export const aroundUnserved = (gateway: string) => ({
  log: quietLog,
  clock: systemClock,
  keep: new Keep(),
  gateway,
  number: 0,
})
