import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import type { LoadedSettings } from '../../config/load.ts'
import { CommandError } from './failure.ts'
import { logFileOf, pidFileOf } from './pid-file.ts'

/** Lines of a failed start that are shown. */
const SHOWN = 10

/** Starts the same command without `--detach` in a process of its own, and waits until that serves or has failed. */
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
      const lines = readFileSync(logFile, 'utf8').slice(before).trim().split('\n').slice(-SHOWN)
      reject(new CommandError(...reasonsIn(lines), `the log is ${logFile}`))
    })
  })
  child.disconnect()
  child.unref()
  process.stdout.write(`deflector serves at ${url} (process ${child.pid}), and logs to ${logFile}\n`)
}

const errorLine = z.object({ level: z.literal('error'), msg: z.string() })

/** The errors among the last lines of a log in JSON; all of them where there is none, or where it is text. */
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
