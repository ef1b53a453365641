import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import type { LoadedSettings } from '../../config/load.ts'
import { CommandError } from './failure.ts'
import { logFileOf, pidFileOf } from './pid-file.ts'

/** Most lines shown of a failed start. */
const MAX_SHOWN_LINES = 10

/** Starts the same command without `--detach` in a background process, and waits until it serves or fails. */
export async function detach({ dataDir, values }: LoadedSettings): Promise<void> {
  const logFile = logFileOf(pidFileOf(dataDir, values['server.port']))
  const log = openSync(logFile, 'a', 0o600)
  const before = readFileSync(logFile, 'utf8').length
  const args = process.argv.slice(1).filter(argument => argument !== '--detach')
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', message => {
      const listening = typeof message === 'object' && 'listening' in message ? message.listening : ''
      resolve(String(listening))
    })
    child.once('error', reject)
    child.once('exit', () => {
      const lines = readFileSync(logFile, 'utf8').slice(before).trim().split('\n').slice(-MAX_SHOWN_LINES)
      reject(new CommandError(...reasonsIn(lines), `the log is ${logFile}`))
    })
  })
  child.disconnect()
  child.unref()
  process.stdout.write(`deflector serves at ${url} (process ${child.pid}), and logs to ${logFile}\n`)
}

const errorLine = z.object({ level: z.literal('error'), msg: z.string() })

/** The error messages in the last lines of a JSON log; all lines when there are none, or when the log is text. */
function reasonsIn(lines: readonly string[]): string[] {
  const errors = lines.flatMap(line => {
    try {
      return errorLine.parse(JSON.parse(line)).msg
    } catch {
      return []
    }
  })
  return errors.length > 0 ? errors : lines.map(line => line.replace(/^deflector: /, ''))
}
