import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataDirOf } from '../../config/data-dir.ts'
import { CommandError } from './failure.ts'
import { findRunning, readPidFile } from './pid-file.ts'
import { portOf } from './port.ts'

/** Milliseconds to wait beyond the gateway's drain time. */
const EXTRA_MS = 2_000

/** `deflector stop`: stops the running gateway and waits until it has ended. `--force` kills it. */
export async function stop(options: {
  readonly port?: string
  readonly pidFile?: string
  readonly force?: boolean
}): Promise<void> {
  const dataDir = dataDirOf(process.env, process.cwd())
  const running = findRunning(dataDir, { port: portOf(options.port), pidFile: options.pidFile })
  process.kill(running.pid, options.force ? 'SIGKILL' : 'SIGTERM')
  const timeoutMs = running.drainSecs * 1000 + EXTRA_MS
  for (let waited = 0; waited < timeoutMs; waited += 50) {
    const now = readPidFile(running.file)
    if (!now?.alive || now.pid !== running.pid) {
      if (now && !now.alive) rmSync(running.file, { force: true })
      process.stdout.write(`stopped: ${running.url || `process ${running.pid}`}\n`)
      return
    }
    await sleep(50)
  }
  throw new CommandError(
    `process ${running.pid} is still running after ${timeoutMs / 1000} s; "deflector stop --force" ends it at once`,
  )
}
