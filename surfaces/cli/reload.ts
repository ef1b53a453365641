import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { dataDirOf } from '../../config/data-dir.ts'
import { CommandError } from './failure.ts'
import { findRunning, logFileOf, type Running, reloadFileOf } from './pid-file.ts'
import { portOf } from './port.ts'

/** How long a gateway may take to say what came of it, in milliseconds. */
const PATIENCE = 10_000

const outcome = z.object({ ok: z.boolean(), reasons: z.array(z.string()), generation: z.number() })

/** `deflector reload`: asks the running gateway to read its files again, and says whether it now serves them. */
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

async function outcomeOf(running: Running, file: string): Promise<z.output<typeof outcome>> {
  for (let waited = 0; waited < PATIENCE; waited += 50) {
    await sleep(50)
    const read = existsSync(file) ? outcome.safeParse(json(readFileSync(file, 'utf8'))) : undefined
    if (read?.success) {
      rmSync(file, { force: true })
      return read.data
    }
    if (!isThere(running.pid)) throw new CommandError(`the gateway ended while it reloaded; ${whereItLogs(running)}`)
  }
  throw new CommandError(`the gateway has not said in ${PATIENCE / 1000} s what came of it; ${whereItLogs(running)}`)
}

/** `undefined` while the file is being written. */
function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const whereItLogs = ({ file }: Running): string =>
  existsSync(logFileOf(file)) ? `its log is ${logFileOf(file)}` : 'look at the output of its terminal or service'
