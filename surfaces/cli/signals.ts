import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { Log } from '../../core/host.ts'
import { failureLines } from './failure.ts'

/** Share of the drain time for running requests; the rest is for the last bytes and for closing resources. */
const GRACE_SHARE = 0.85

export interface SignalHandlers {
  reload(): Promise<void>
  close(graceMs: number): Promise<void>
  /** Time limit of the whole shutdown, read when it begins. */
  drainSecs(): number
  readonly log: Log
}

/** Resolves once a signal has closed the gateway. SIGHUP reloads; a second SIGINT or SIGTERM exits at once. */
export function untilStopped({ reload, close, drainSecs, log }: SignalHandlers): Promise<void> {
  // SIGHUP is also sent when the terminal is closed, which must stop the gateway and not reload it.
  const attached = isatty(0)
  return new Promise(resolve => {
    let closing = false
    const stop = (signal: NodeJS.Signals): void => {
      if (closing) process.exit(signal === 'SIGINT' ? 130 : 143)
      closing = true
      log.info(`${signal}: closing; repeat the signal to exit at once`)
      const drainMs = drainSecs() * 1000
      const late = new AbortController()
      const latest = sleep(drainMs, undefined, { signal: late.signal }).catch(() => {})
      void Promise.race([closed(() => close(drainMs * GRACE_SHARE), log), latest]).then(() => {
        late.abort()
        resolve()
        // A plugin with an open handle must not keep the process running.
        setTimeout(() => process.exit(), 500).unref()
      })
    }
    process.on('SIGHUP', () => {
      if (closing) return
      if (attached && !isatty(0)) {
        exitByHangup()
        return stop('SIGHUP')
      }
      log.info('SIGHUP: reloading')
      reload().catch(error => {
        // A reload that fails because the gateway is closing is not an error.
        if (!closing) log.error('reloading failed', { error: failureLines(error)[0] })
      })
    })
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

/** Exits by the signal itself: at a normal exit Node aborts when it cannot restore a closed terminal. */
function exitByHangup(): void {
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
