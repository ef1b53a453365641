import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning, startOf } from 'deflector/files'
import { CommandError } from './failure.ts'

/** The content of a gateway's pid file. */
export interface RunningGateway {
  readonly file: string
  readonly pid: number
  /** Its URL for clients on this machine, or the path of its socket file; empty when it does not listen. */
  readonly url: string
  /** Time limit of its shutdown, in seconds. */
  readonly drainSecs: number
  /** False for the pid file of a killed gateway. */
  readonly alive: boolean
}

const NAME = /^gateway-(\d+)\.pid$/

export const pidFileOf = (dataDir: string, port: number): string => join(dataDir, `gateway-${port}.pid`)

/** The file for the outcome of a reload. */
export const reloadFileOf = (pidFile: string): string => `${pidFile.replace(/\.pid$/, '')}.reload`

/** The log file of a detached gateway. */
export const logFileOf = (pidFile: string): string => `${pidFile.replace(/\.pid$/, '')}.log`

/** Drain time of pid files from versions that did not write it. */
const OLD_DRAIN_SECS = 10

/**
 * Writes the pid file: process id, address, start time of the process (as process ids are reused), and drain time.
 * Throws a `CommandError` when the file belongs to another running gateway.
 */
export function writePidFile(file: string, url: string, drainSecs: number): void {
  const other = readPidFile(file)
  if (other?.alive && other.pid !== process.pid) {
    throw new CommandError(
      `${file} belongs to the running process ${other.pid}; "deflector stop" will not find this one`,
    )
  }
  writeFileSync(file, `${process.pid}\n${url}\n${startOf(process.pid) ?? ''}\n${drainSecs}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
}

/** Removes the pid file if it belongs to this process. */
export function removePidFile(file: string): void {
  if (readPidFile(file)?.pid === process.pid) rmSync(file, { force: true })
}

/** `undefined` when there is no such file, or when it is not a pid file. */
export function readPidFile(file: string): RunningGateway | undefined {
  const [first = '', url = '', began = '', drain = ''] = textOf(file).split('\n')
  if (!/^[1-9]\d*$/.test(first.trim())) return undefined
  const pid = Number(first)
  const drainSecs = /^\d+$/.test(drain) ? Number(drain) : OLD_DRAIN_SECS
  return { file, pid, url, drainSecs, alive: isRunning(pid, began) }
}

/** Empty where there is none: a gateway that ends removes its file at any moment. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** The gateway of this pid file or port, else the only one that is running. Removes stale pid files. */
export function findRunning(
  dataDir: string,
  { port, pidFile }: { readonly port?: number | undefined; readonly pidFile?: string | undefined },
): RunningGateway {
  const named = pidFile ?? (port === undefined ? undefined : pidFileOf(dataDir, port))
  if (named !== undefined) {
    const running = readPidFile(named)
    if (running?.alive) return running
    if (running) rmSync(named, { force: true })
    const what = running
      ? `${named} was stale and has been removed`
      : existsSync(named)
        ? `${named} is no pid file of a gateway`
        : `there is no pid file ${named}`
    throw new CommandError(`no gateway is running: ${what}`)
  }
  const living = pidFilesIn(dataDir).filter(running => {
    if (!running.alive) rmSync(running.file, { force: true })
    return running.alive
  })
  const [only, ...others] = living
  if (!only) {
    throw new CommandError(
      `no gateway is running for this user (searched ${dataDir}); one with another SERVICE_DATA_DIR needs --pid-file`,
    )
  }
  if (others.length > 0) {
    throw new CommandError(`several gateways are running: name one with --port (${living.map(portOf).join(', ')})`)
  }
  return only
}

const pidFilesIn = (dataDir: string): RunningGateway[] => {
  if (!existsSync(dataDir)) return []
  return readdirSync(dataDir)
    .filter(name => NAME.test(name))
    .flatMap(name => readPidFile(join(dataDir, name)) ?? [])
}

const portOf = ({ file }: RunningGateway): string => /gateway-(\d+)\.pid$/.exec(file)?.[1] ?? file

/** Does a gateway of this user run on this data directory? */
export const isAnyRunning = (dataDir: string): boolean => pidFilesIn(dataDir).some(({ alive }) => alive)
