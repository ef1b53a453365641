import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureDataDir } from '../../config/data-dir.ts'
import { type FlagValue, type LoadedSettings, loadSettings } from '../../config/load.ts'
import { DEMO, pipelineSettings } from '../../config/providers.ts'
import { FILE_NAME } from '../../config/toml-file.ts'
import { Gateway, type Reloaded } from '../../core/gateway.ts'
import { packageRoots } from '../../core/pipeline/loader.ts'
import { addressOf, localUrl } from './address.ts'
import { banner, startWarnings } from './banner.ts'
import { explained } from './explain.ts'
import { createLog, type Level } from './log.ts'
import { Note } from './note.ts'
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
  }).catch(error => {
    throw explained(error, loaded)
  })

  const note = new Note(loaded.dataDir, log)
  const address = addressOf(gateway)
  note.write(address)
  process.on('exit', () => note.remove())
  const settingsFiles = [join(cwd, FILE_NAME), join(loaded.dataDir, FILE_NAME)]
  const watching = options.watch ? watchFiles({ pipelineFile: file, settingsFiles }, () => void reload()) : undefined
  async function reload(): Promise<Reloaded> {
    const reloaded = await gateway.reload()
    watching?.again()
    if (reloaded.ok) {
      for (const warning of startWarnings(gateway, addressOf(gateway), loaded)) log.warn(warning)
    }
    return reloaded
  }
  /** Asked by a person, who is told what came of it; the gateway may listen elsewhere since. */
  async function reloadAsked(): Promise<void> {
    const { ok, reasons } = await reload()
    note.outcome({ ok, reasons, generation: gateway.current.around.number })
    note.write(addressOf(gateway))
  }
  // Before anything is said: who reads it may send the next signal.
  const stopped = untilStopped({ reload: reloadAsked, log, close: graceMs => gateway.close(graceMs) })

  process.stdout.write(banner(gateway, address, cwd))
  for (const warning of startWarnings(gateway, address, loaded)) log.warn(warning)
  if (process.send) process.send({ listening: address ? localUrl(address) : '' })

  await stopped
  watching?.stop()
  note.remove()
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
