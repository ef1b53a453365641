import { destination, pino } from 'pino'
import type { SettingValues } from '../../config/schema.ts'
import type { Log } from '../../core/host.ts'

export type Level = SettingValues['log_level']

/** `auto` is text on a terminal and JSON elsewhere. */
export type LogFormat = SettingValues['log_format']

export const isHuman = (format: LogFormat): boolean =>
  format === 'text' || (format === 'auto' && process.stderr.isTTY === true)

export interface LogOptions {
  readonly level: Level
  /** Lines for a person instead of JSON. */
  readonly human: boolean
  readonly out: NodeJS.WritableStream
}

/** The operator's log. JSON has `level` and `time` by name, so that no reader needs pino's numbers. */
export function createLog({ level, human, out }: LogOptions): Log {
  const lines: Lines = out === process.stderr ? bufferedStderr() : { write: line => out.write(line), flush() {} }
  const logger = pino(
    { level, base: null, timestamp: isoTime(), formatters: { level: label => ({ level: label }) } },
    human ? { write: line => lines.write(humanLine(line)) } : lines,
  )
  const at =
    (name: Exclude<Level, 'silent'>) =>
    (message: string, fields: Record<string, unknown> = {}): void =>
      logger[name](fields, message)
  const atOnce =
    (name: 'warn' | 'error') =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      logger[name](fields, message)
      lines.flush()
    }
  return { debug: at('debug'), info: at('info'), warn: atOnce('warn'), error: atOnce('error') }
}

/** pino's ISO time, written anew only when the millisecond is another: a busy gateway writes several lines in each. */
function isoTime(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at || text === '') text = `,"time":"${new Date(now).toISOString()}"`
    at = now
    return text
  }
}

/** `12:04:31 warn  no key is set  provider=openai` */
function humanLine(json: string): string {
  const { level, time, msg, ...fields }: Record<string, unknown> = JSON.parse(json)
  const facts = Object.entries(fields).map(
    ([name, value]) => `  ${name}=${typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value)}`,
  )
  const line = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${facts.join('')}`
  return `${line.replaceAll(/\s*\n\s*/g, ' | ')}\n`
}

/** What a client wrote, such as a model's name, must not steer the operator's terminal. */
const isPlain = (value: string): boolean => !/[\p{Cc}]/u.test(value)

interface Lines {
  write(line: string): void
  /** Writes what waits. */
  flush(): void
}

/** Lines wait until there are so many characters, or for so many milliseconds: one write serves many requests. */
const BATCH = 32_768
const LONGEST_WAIT = 250
/** At the exit a reader that takes nothing is given so many chances, 100 ms apart. */
const LAST_CHANCES = 10

/**
 * Batches are written synchronously: an asynchronous write may be under way when the process exits, and then lines would
 * be torn or come in the wrong order. What still waits is written at the exit. A reader that left does not end the gateway.
 */
function bufferedStderr(): Lines {
  let chances = Number.POSITIVE_INFINITY
  const stream = destination({ fd: 2, sync: true, retryEAGAIN: () => chances-- > 0 })
  stream.on('error', () => {})
  // The stream's own buffer measures all that waits at every line.
  let waiting = ''
  const flush = (): void => {
    if (waiting === '') return
    const batch = waiting
    waiting = ''
    stream.write(batch)
  }
  setInterval(flush, LONGEST_WAIT).unref()
  process.on('exit', () => {
    chances = LAST_CHANCES
    flush()
  })
  const write = (line: string): void => {
    waiting += line
    if (waiting.length >= BATCH) flush()
  }
  return { write, flush }
}
