import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from './failure.ts'

/** A gateway that left a note of itself. */
export interface Running {
  readonly file: string
  readonly pid: number
  /** Where it can be asked on this machine. */
  readonly url: string
  /** How long it may take to end, in seconds. */
  readonly drainSecs: number
  /** False for a note that a killed gateway left behind. */
  readonly alive: boolean
}

const NAME = /^gateway-(\d+)\.pid$/

export const pidFileOf = (dataDir: string, port: number): string => join(dataDir, `gateway-${port}.pid`)

/** Where a gateway leaves what came of a reload. */
export const reloadFileOf = (pidFile: string): string => `${pidFile.replace(/\.pid$/, '')}.reload`

/** Where a detached gateway logs. */
export const logFileOf = (pidFile: string): string => `${pidFile.replace(/\.pid$/, '')}.log`

/** What a note says that was written before gateways could be told how long to drain. */
const OLD_DRAIN_SECS = 10

/**
 * Leaves the note: process id, address, when the process began, because process ids come back, and its drain time. Throws
 * `CommandError` when another living gateway holds the note.
 */
export function writePidFile(file: string, url: string, drainSecs: number): void {
  const other = readPidFile(file)
  if (other?.alive && other.pid !== process.pid) {
    throw new CommandError(
      `${file} belongs to the running process ${other.pid}; "deflector stop" will not find this one`,
    )
  }
  writeFileSync(file, `${process.pid}\n${url}\n${beginningOf(process.pid) ?? ''}\n${drainSecs}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
}

/** Takes away this process's own note, and nobody else's. */
export function removePidFile(file: string): void {
  if (readPidFile(file)?.pid === process.pid) rmSync(file, { force: true })
}

/** `undefined` when there is no such file, or it is no note of ours. */
export function readPidFile(file: string): Running | undefined {
  if (!existsSync(file)) return undefined
  const [first = '', url = '', began = '', drain = ''] = readFileSync(file, 'utf8').split('\n')
  if (!/^[1-9]\d*$/.test(first.trim())) return undefined
  const pid = Number(first)
  const drainSecs = /^\d+$/.test(drain) ? Number(drain) : OLD_DRAIN_SECS
  return { file, pid, url, drainSecs, alive: isAlive(pid, began) }
}

/** The gateway that is meant: the one of this pid file, of this port, or the only one there is. Stale notes are removed. */
export function findRunning(
  dataDir: string,
  { port, pidFile }: { readonly port?: number | undefined; readonly pidFile?: string | undefined },
): Running {
  const named = pidFile ?? (port === undefined ? undefined : pidFileOf(dataDir, port))
  if (named !== undefined) {
    const running = readPidFile(named)
    if (running?.alive) return running
    if (running) rmSync(named, { force: true })
    const what = running
      ? `${named} was left by a gateway that is gone (it is removed now)`
      : `there is no pid file ${named}`
    throw new CommandError(`no gateway is running: ${what}`)
  }
  const living = notesIn(dataDir).filter(running => {
    if (!running.alive) rmSync(running.file, { force: true })
    return running.alive
  })
  const [only, ...others] = living
  if (!only) {
    throw new CommandError(
      `no gateway is running that this user started (looked in ${dataDir}); one with another SERVICE_DATA_DIR needs --pid-file`,
    )
  }
  if (others.length > 0) {
    throw new CommandError(`several gateways are running: name one with --port (${living.map(portOf).join(', ')})`)
  }
  return only
}

const notesIn = (dataDir: string): Running[] => {
  if (!existsSync(dataDir)) return []
  return readdirSync(dataDir)
    .filter(name => NAME.test(name))
    .flatMap(name => readPidFile(join(dataDir, name)) ?? [])
}

const portOf = ({ file }: Running): string => /gateway-(\d+)\.pid$/.exec(file)?.[1] ?? file

function isAlive(pid: number, began: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Another user's process lives all the same.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  const now = beginningOf(pid)
  return began === '' || now === undefined || now === began
}

/** Clock ticks from boot to the process's start; only Linux tells. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold anything; the 20th field after it is the start.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
