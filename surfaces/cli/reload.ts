import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from 'deflector/files'
import { z } from 'zod'
import { dataDirOf } from '../../config/data-dir.ts'
import { CommandError } from './failure.ts'
import { findRunning, logFileOf, type RunningGateway, reloadFileOf } from './pid-file.ts'
import { portOf } from './port.ts'

/** Time limit for the outcome of a reload, in milliseconds. */
const TIMEOUT_MS = 10_000

const outcome = z.object({ ok: z.boolean(), reasons: z.array(z.string()), generation: z.number() })

/** `deflector reload`: makes the running gateway read its files again, and prints whether it now serves them. */
export async function reload(options: { readonly port?: string; readonly pidFile?: string }): Promise<void> {
  const dataDir = dataDirOf(process.env, process.cwd())
  const running = findRunning(dataDir, { port: portOf(options.port), pidFile: options.pidFile })
  const file = reloadFileOf(running.file)
  rmSync(file, { force: true })
  process.kill(running.pid, 'SIGHUP')
  const { ok, reasons, generation } = await outcomeOf(running, file)
  if (!ok) throw new CommandError(...reasons, `not reloaded: ${running.url} still serves generation ${generation}`)
  process.stdout.write(`reloaded: ${running.url} serves generation ${generation}\n`)
}

async function outcomeOf(running: RunningGateway, file: string): Promise<z.output<typeof outcome>> {
  for (let waited = 0; waited < TIMEOUT_MS; waited += 50) {
    await sleep(50)
    const read = existsSync(file) ? outcome.safeParse(json(readFileSync(file, 'utf8'))) : undefined
    if (read?.success) {
      rmSync(file, { force: true })
      return read.data
    }
    if (!isRunning(running.pid)) throw new CommandError(`the gateway ended while it reloaded; ${whereItLogs(running)}`)
  }
  throw new CommandError(
    `the gateway has not reported an outcome within ${TIMEOUT_MS / 1000} s; ${whereItLogs(running)}`,
  )
}

/** `undefined` while the file is being written. */
function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const whereItLogs = ({ file }: RunningGateway): string =>
  existsSync(logFileOf(file)) ? `its log is ${logFileOf(file)}` : 'look at the output of its terminal or service'
