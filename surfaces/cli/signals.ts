import { setTimeout as sleep } from 'node:timers/promises'
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
  return new Promise(resolve => {
    let closing = false
    process.on('SIGHUP', () => {
      if (closing) return
      log.info('SIGHUP: reloading')
      reload().catch(error => {
        // The gateway was closed meanwhile.
        if (!closing) log.error('reloading failed', { error: failureLines(error)[0] })
      })
    })
    const stop = (signal: NodeJS.Signals): void => {
      if (closing) process.exit(signal === 'SIGINT' ? 130 : 143)
      closing = true
      log.info(`${signal}: closing; again to end at once`)
      void Promise.race([closed(close, log), sleep(LATEST, undefined, { ref: false })]).then(() => {
        resolve()
        // A plugin that left a handle open must not keep the process.
        setTimeout(() => process.exit(), 500).unref()
      })
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
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
