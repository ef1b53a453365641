import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { Log } from '../../core/host.ts'
import { failureLines } from './failure.ts'

/** What is on its way may take so long, in milliseconds; with the last bytes the whole end stays within ten seconds. */
const GRACE = 8_500
const LATEST = 10_000

export interface Served {
  reload(): Promise<void>
  close(graceMs: number): Promise<void>
  readonly log: Log
}

/** Resolves once a signal has closed the gateway. SIGHUP reloads; a second SIGINT or SIGTERM ends at once. */
export function untilStopped({ reload, close, log }: Served): Promise<void> {
  // The same signal says that the terminal was closed; then nobody asked for a reload.
  const attached = isatty(0)
  return new Promise(resolve => {
    let closing = false
    const stop = (signal: NodeJS.Signals): void => {
      if (closing) process.exit(signal === 'SIGINT' ? 130 : 143)
      closing = true
      log.info(`${signal}: closing; again to end at once`)
      const late = new AbortController()
      const latest = sleep(LATEST, undefined, { signal: late.signal }).catch(() => {})
      void Promise.race([closed(close, log), latest]).then(() => {
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

async function closed(close: Served['close'], log: Log): Promise<void> {
  try {
    await close(GRACE)
    log.info('closed')
  } catch (error) {
    log.error('closing failed', { error: failureLines(error)[0] })
  }
}
