import type { Log } from '../../core/host.ts'

/** What Node would print as text on stderr becomes lines of the log: its warnings, and what ends the process. */
export function logNodeMessages(log: Log): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => log.warn(message, { warning: name }))
  process.on('uncaughtException', error => {
    log.error('an uncaught exception ended the gateway', { error: error.stack ?? String(error) })
    process.exit(1)
  })
}
