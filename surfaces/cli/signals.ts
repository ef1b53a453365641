import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { Log } from '../../core/host.ts'
import { failureLines } from './failure.ts'

/** Of the drain time this share is for what is on its way; the rest is for the last bytes and for what is given back. */
const GRACE = 0.85

export interface Served {
  reload(): Promise<void>
  close(graceMs: number): Promise<void>
  /** How long the whole end may take, asked when it begins. */
  drainSecs(): number
  readonly log: Log
}

/** Resolves once a signal has closed the gateway. SIGHUP reloads; a second SIGINT or SIGTERM ends at once. */
export function untilStopped({ reload, close, drainSecs, log }: Served): Promise<void> {
  // The same signal says that the terminal was closed; then nobody asked for a reload.
  const attached = isatty(0)
  return new Promise(resolve => {
    let closing = false
    const stop = (signal: NodeJS.Signals): void => {
      if (closing) process.exit(signal === 'SIGINT' ? 130 : 143)
      closing = true
      log.info(`${signal}: closing; again to end at once`)
      const drainMs = drainSecs() * 1000
      const late = new AbortController()
      const latest = sleep(drainMs, undefined, { signal: late.signal }).catch(() => {})
      void Promise.race([closed(() => close(drainMs * GRACE), log), latest]).then(() => {
        late.abort()
        resolve()
        // A plugin that left a handle open must not keep the process.
        setTimeout(() => process.exit(), 500).unref()
      })
    }
    process.on('SIGHUP', () => {
      if (closing) return
      if (attached && !isatty(0)) {
        dieOfHangup()
        return stop('SIGHUP')
      }
      log.info('SIGHUP: reloading')
      reload().catch(error => {
        // The gateway was closed meanwhile.
        if (!closing) log.error('reloading failed', { error: failureLines(error)[0] })
      })
    })
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

/** At its exit Node aborts when it cannot set a terminal back that is gone; the signal's own end does not try to. */
function dieOfHangup(): void {
  process.once('exit', () => {
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  })
}

async function closed(close: () => Promise<void>, log: Log): Promise<void> {
  try {
    await close()
    log.info('closed')
  } catch (error) {
    log.error('closing failed', { error: failureLines(error)[0] })
  }
}
