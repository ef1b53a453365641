import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import type { Log } from '../../core/host.ts'

export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type Level = (typeof LEVELS)[number]

export interface LogOptions {
  readonly level: Level
  /** Lines for a person instead of JSON. */
  readonly human: boolean
  readonly out: NodeJS.WritableStream
}

/** The operator's log. JSON has `level` and `time` by name, so that no reader needs pino's numbers. */
export function createLog({ level, human, out }: LogOptions): Log {
  const stream: DestinationStream = human
    ? { write: line => void out.write(humanLine(line)) }
    : out === process.stderr
      ? stderrStream()
      : { write: line => void out.write(line) }
  const logger = pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: label => ({ level: label }) } },
    stream,
  )
  const at =
    (name: Exclude<Level, 'silent'>) =>
    (message: string, fields: Record<string, unknown> = {}): void =>
      logger[name](fields, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** `12:04:31 warn  no key is set  provider=openai` */
function humanLine(json: string): string {
  const { level, time, msg, ...fields }: Record<string, unknown> = JSON.parse(json)
  const facts = Object.entries(fields).map(
    ([name, value]) => `  ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const line = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${facts.join('')}`
  return `${line.replaceAll(/\s*\n\s*/g, ' | ')}\n`
}

/** Written at once, so that the last lines before a crash are there. A reader that left does not end the gateway. */
function stderrStream(): DestinationStream {
  const stream = destination({ fd: 2, sync: true })
  stream.on('error', () => {})
  return stream
}
