import type { Clock, HostLog, Log } from './host.ts'

const EVERY_MS = 60_000
/** Keys that are remembered; they come from code and configuration, so there are few. */
const MOST = 1000

/** The operator's log with `degraded`, which says the same thing once a minute. */
export function hostLog(log: Log, clock: Pick<Clock, 'now'>): HostLog {
  const said = new Map<string, number>()
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message, fields) => log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
    degraded(key, message, fields) {
      const now = clock.now()
      const at = said.get(key)
      // A clock that was set back must not silence it.
      if (at !== undefined && now >= at && now - at < EVERY_MS) return
      if (said.size >= MOST) said.clear()
      said.set(key, now)
      log.warn(message, fields)
    },
    recovered(key, message, fields) {
      if (said.delete(key)) log.info(message, fields)
    },
  }
}

/** The same log with keys of its own, so that two instances do not silence each other. */
export const instanceLog = (log: HostLog, instance: string): HostLog => ({
  ...log,
  degraded: (key, message, fields) => log.degraded(`${instance} ${key}`, message, fields),
  recovered: (key, message, fields) => log.recovered(`${instance} ${key}`, message, fields),
})
