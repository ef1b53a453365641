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

/** The operator's log. JSON lines have the level's name and an ISO time instead of pino's numbers. */
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

/** pino's ISO time, formatted once per millisecond, because a busy gateway writes several lines in each. */
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

/** Text of a client, such as a model's name, must not control the operator's terminal. */
const isPlain = (value: string): boolean => !/[\p{Cc}]/u.test(value)

interface Lines {
  write(line: string): void
  /** Writes the buffered lines. */
  flush(): void
}

/** Lines are buffered up to this many characters or milliseconds, so that one write serves many requests. */
const BATCH = 32_768
const LONGEST_WAIT = 250
/** Number of retries at the exit, 100 ms apart, when the reader of stderr takes nothing. */
const LAST_CHANCES = 10

/**
 * Batches are written synchronously: an asynchronous write that runs at the exit would tear or reorder lines. The buffer
 * is flushed at the exit. A closed stderr does not end the gateway.
 */
function bufferedStderr(): Lines {
  let chances = Number.POSITIVE_INFINITY
  const stream = destination({ fd: 2, sync: true, retryEAGAIN: () => chances-- > 0 })
  stream.on('error', () => {})
  // The stream's own buffer would measure its whole content at every line.
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
