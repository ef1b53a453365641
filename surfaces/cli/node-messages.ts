import { errorFacts } from 'deflector'
import type { Log } from '../../core/host.ts'

/** Logs Node's warnings, which Node would otherwise print to stderr as text. */
export function logWarnings(log: Log): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => log.warn(message, { warning: name }))
}

/** Logs what ends the process. Node would print all that the error holds: a vendor's words, perhaps a whole request. */
export function logCrash(log: Log): void {
  process.on('uncaughtException', error => {
    log.error('an uncaught exception ended the gateway', { ...errorFacts(error) })
    process.exit(1)
  })
}
