import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureDataDir } from '../../config/data-dir.ts'
import { type FlagValue, type LoadedSettings, loadSettings } from '../../config/load.ts'
import { DEMO, pipelineSettings } from '../../config/providers.ts'
import { Gateway } from '../../core/gateway.ts'
import type { Log } from '../../core/host.ts'
import { packageRoots } from '../../core/loader.ts'
import { addressOf, localUrl } from './address.ts'
import { banner, startWarnings } from './banner.ts'
import { failureLines } from './failure.ts'
import { createLog, type Level } from './log.ts'
import { pidFileOf, reloadFileOf, writePidFile } from './pid-file.ts'
import { pipelineFile } from './pipeline-file.ts'
import { untilStopped } from './signals.ts'
import { watchFiles } from './watch.ts'

export interface UpOptions {
  readonly demo?: boolean
  readonly pipeline?: string
  readonly port?: string
  readonly host?: string
  readonly watch?: boolean
  readonly detach?: boolean
  readonly logLevel: Level
}

/** `deflector up`: serves until it is told to stop. Throws when it cannot start. */
export async function up(options: UpOptions): Promise<void> {
  const cwd = process.cwd()
  const load = (): LoadedSettings => loadSettings({ cwd, env: process.env, flags: flagsOf(options) })
  let loaded = load()
  const file = pipelineFile(loaded, { cwd, flag: options.pipeline })
  ensureDataDir(loaded.dataDir)
  if (options.detach) {
    const { detach } = await import('./detach.ts')
    return detach(loaded)
  }

  const human = process.stderr.isTTY === true
  const log = createLog({ level: options.logLevel, human, out: process.stderr })
  const cacheDir = privateDir(join(loaded.dataDir, 'compiled'))
  const gateway = await Gateway.start({
    pipelineFile: file,
    settings: () => {
      loaded = load()
      return pipelineSettings(loaded)
    },
    log,
    roots: packageRoots(),
    ...(cacheDir !== undefined && { cacheDir }),
  })

  const address = addressOf(gateway)
  const pidFile = pidFileOf(loaded.dataDir, address?.port ?? 0)
  const forget = note(pidFile, address ? localUrl(address) : '', log)
  process.on('exit', forget)
  process.stdout.write(banner(gateway, address, cwd))
  for (const warning of startWarnings(gateway, address, loaded)) log.warn(warning)
  if (process.send) process.send({ listening: address ? localUrl(address) : '' })

  const watching = options.watch
    ? watchFiles(
        { pipelineFile: file, settingsFiles: [join(cwd, 'service.toml'), join(loaded.dataDir, 'service.toml')] },
        () => void reload(),
      )
    : undefined
  async function reload(): Promise<void> {
    const { ok, reasons } = await gateway.reload()
    watching?.again()
    if (ok) for (const warning of startWarnings(gateway, addressOf(gateway), loaded)) log.warn(warning)
    leave(reloadFileOf(pidFile), JSON.stringify({ ok, reasons, generation: gateway.current.around.number }))
  }
  await untilStopped({ reload, log, close: graceMs => gateway.close(graceMs) })
  watching?.stop()
  forget()
}

function flagsOf({ port, host, demo }: UpOptions): FlagValue[] {
  const flags: FlagValue[] = []
  if (port !== undefined) flags.push({ name: '--port', key: 'server.port', text: port })
  if (host !== undefined) flags.push({ name: '--host', key: 'server.host', text: host })
  if (demo) {
    flags.push({ name: '--demo', key: 'llm_provider', text: DEMO })
    flags.push({ name: '--demo', key: 'fallback_providers', text: '[]' })
  }
  return flags
}

/** Code that is run later lies here: only where nobody else can write. */
function privateDir(dir: string): string | undefined {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    chmodSync(dir, 0o700)
    return dir
  } catch {
    return undefined
  }
}

/** Without its note the gateway serves all the same; `stop` and `reload` just will not find it. */
function note(pidFile: string, url: string, log: Log): () => void {
  try {
    return writePidFile(pidFile, url)
  } catch (error) {
    log.warn(`no pid file: ${failureLines(error)[0]}`)
    return () => {}
  }
}

function leave(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 })
  } catch {
    // Whoever asked for the reload then learns of it from the log.
  }
}
