import type { Log } from '../../core/host.ts'

/** Logs Node's warnings and uncaught exceptions, which Node would otherwise print to stderr as text. */
export function logNodeMessages(log: Log): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => log.warn(message, { warning: name }))
  process.on('uncaughtException', error => {
    log.error('an uncaught exception ended the gateway', { error: error.stack ?? String(error) })
    process.exit(1)
  })
}
