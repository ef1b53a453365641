import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { listener } from 'deflector/facets/listener'
import { ensureDataDir } from '../../config/data-dir.ts'
import { requireFolders } from '../../config/folders.ts'
import { type FlagValue, type LoadedSettings, loadSettings, type SettingsContext } from '../../config/load.ts'
import { sourcesOf } from '../../config/origins.ts'
import { pendingWarning } from '../../config/pending.ts'
import { DEMO, pipelineSettings } from '../../config/providers.ts'
import { variablesOf } from '../../config/schema.ts'
import { FILE_NAME } from '../../config/toml-file.ts'
import { Gateway, type Reloaded } from '../../core/gateway.ts'
import type { Generation } from '../../core/generation.ts'
import type { Log } from '../../core/host.ts'
import { packageRoots } from '../../core/pipeline/loader.ts'
import { addressOf, addressText } from './address.ts'
import { banner, startFacts, startWarnings } from './banner.ts'
import { controlOf, offerProcess } from './control/control.ts'
import { withSources } from './explain.ts'
import { CommandError, failureLines, LoggedError } from './failure.ts'
import { createLog, isHuman, type Level } from './log.ts'
import { logCrash, logWarnings } from './node-messages.ts'
import { overriddenFlags } from './overridden.ts'
import { pipelineFile } from './pipeline-file.ts'
import { RunRecord } from './run-record.ts'
import { untilStopped } from './signals.ts'
import { untilRestart } from './until-restart.ts'
import { watchFiles } from './watch.ts'

export interface UpOptions {
  readonly demo?: boolean
  readonly pipeline?: string
  readonly port?: string
  readonly host?: string
  readonly watch?: boolean
  readonly detach?: boolean
  readonly logLevel?: Level
}

/** `deflector up`: serves until a signal stops it. Throws when it cannot start. */
export async function up(options: UpOptions): Promise<void> {
  const cwd = process.cwd()
  const load = (draft?: SettingsContext['draft']): LoadedSettings =>
    loadSettings({ cwd, env: process.env, flags: flagsOf(options), ...(draft && { draft }) })
  if (options.detach) {
    const loaded = load()
    ensureDataDir(loaded.dataDir)
    pipelineFile(loaded, { cwd, flag: options.pipeline })
    const { detach } = await import('./detach.ts')
    return detach(loaded)
  }

  // The format for errors that occur before the settings are loaded.
  let human = isHuman(process.env[variablesOf('log_format')[0] ?? ''] === 'text' ? 'text' : 'auto')
  let started: Log | undefined
  try {
    const loaded = load()
    human = isHuman(loaded.values.log_format)
    const log = createLog({ level: loaded.values.log_level, human, out: process.stderr })
    // The level `silent` must not hide why the start failed, or what ended the process.
    if (loaded.values.log_level !== 'silent') started = log
    logCrash(started ?? createLog({ level: 'error', human, out: process.stderr }))
    if (!human) logWarnings(log)
    await serve(options, { cwd, load, loaded, human, log })
  } catch (error) {
    if (human) throw error
    const log = started ?? createLog({ level: 'error', human, out: process.stderr })
    for (const line of failureLines(error)) log.error(line)
    throw new LoggedError()
  }
}

interface ServeContext {
  readonly cwd: string
  readonly load: (draft?: SettingsContext['draft']) => LoadedSettings
  readonly loaded: LoadedSettings
  readonly human: boolean
  readonly log: Log
}

async function serve(options: UpOptions, { cwd, load, loaded: first, human, log }: ServeContext): Promise<void> {
  /** What the serving generation was made of, and what was read last. */
  let loaded = first
  let latest = first
  const file = pipelineFile(loaded, { cwd, flag: options.pipeline })
  ensureDataDir(loaded.dataDir)
  const cacheDir = privateDir(join(loaded.dataDir, 'compiled'))
  const steering = controlOf({
    cwd,
    started: first,
    served: () => loaded,
    load,
    async reload(read) {
      const reloaded = await reload(read)
      record.write(addressOf(gateway), loaded.values.drain_secs)
      return reloaded
    },
    tryOut: read =>
      gateway.check(() => {
        latest = read()
        return usable(latest)
      }),
  })
  const gateway = await Gateway.start({
    pipelineFile: file,
    settings: () => {
      loaded = latest = load()
      return usable(loaded)
    },
    sourceOf: (setting, path) => sourcesOf(latest)(setting, path),
    log,
    roots: packageRoots(),
    accept(next) {
      requireListener(next)
      offerProcess(next, steering)
    },
    ...(cacheDir !== undefined && { cacheDir }),
  }).catch(error => {
    throw withSources(error, loaded)
  })

  const record = new RunRecord(loaded.dataDir, log)
  const address = addressOf(gateway)
  record.write(address, loaded.values.drain_secs)
  process.on('exit', () => record.remove())
  const settingsFiles = [join(cwd, FILE_NAME), join(loaded.dataDir, FILE_NAME)]
  const watching = options.watch ? watchFiles({ pipelineFile: file, settingsFiles }, () => void reload()) : undefined
  async function reload(read: () => LoadedSettings = load): Promise<Reloaded> {
    let next = loaded
    const reloaded = await gateway.reload(() => {
      next = latest = read()
      return usable(next)
    })
    watching?.update()
    if (reloaded.ok) {
      loaded = next
      const warnings = [...untilRestart(first, loaded), ...startWarnings(gateway, addressOf(gateway), loaded)]
      for (const warning of warnings) log.warn(warning)
    }
    return reloaded
  }
  /** Asked by a person, who is told what came of it; the gateway may listen elsewhere since. */
  async function reloadOnRequest(): Promise<void> {
    const { ok, reasons } = await reload()
    record.writeOutcome({ ok, reasons, generation: gateway.current.around.number })
    record.write(addressOf(gateway), loaded.values.drain_secs)
  }
  // Before any output, because its reader may send a signal at once.
  const stopped = untilStopped({
    reload: reloadOnRequest,
    log,
    close: graceMs => gateway.close(graceMs),
    drainSecs: () => loaded.values.drain_secs,
  })

  const facts = startFacts(gateway, address, cwd)
  if (human) process.stdout.write(banner(facts))
  else log.info('serving', { ...facts })
  const { port, host } = options
  const flags = {
    port: port === undefined ? undefined : loaded.values['server.port'],
    host: host === undefined ? undefined : loaded.values['server.host'],
  }
  for (const warning of overriddenFlags(flags, gateway.current.pipeline, cwd)) log.warn(warning)
  const pending = pendingWarning(loaded)
  if (pending !== undefined) log.warn(pending)
  for (const warning of startWarnings(gateway, address, loaded)) log.warn(warning)
  if (process.send) process.send({ listening: address ? addressText(address) : '' })

  await stopped
  watching?.stop()
  record.remove()
}

/** What the pipeline reads. Throws where a folder is named that nobody can write in. */
function usable(settings: LoadedSettings): ReturnType<typeof pipelineSettings> {
  requireFolders(settings)
  return pipelineSettings(settings, process.env)
}

/** Refuses a pipeline without a listener: the process would have nothing to wait for, and end. */
function requireListener({ pipeline, facets }: Pick<Generation, 'pipeline' | 'facets'>): void {
  if (facets.offers(listener).size > 0) return
  throw new CommandError(
    `${pipeline.file}: no surface of this pipeline listens; add one under "surfaces", such as http`,
  )
}

function flagsOf({ port, host, demo, logLevel }: UpOptions): FlagValue[] {
  const flags: FlagValue[] = []
  if (port !== undefined) flags.push({ name: '--port', key: 'server.port', text: port })
  if (host !== undefined) flags.push({ name: '--host', key: 'server.host', text: host })
  if (logLevel !== undefined) flags.push({ name: '--log-level', key: 'log_level', text: logLevel })
  if (demo) {
    flags.push({ name: '--demo', key: 'llm_provider', text: DEMO })
    flags.push({ name: '--demo', key: 'fallback_providers', text: '[]' })
  }
  return flags
}

/** A folder for compiled code that only this user may write to; `undefined` when that is not possible. */
function privateDir(dir: string): string | undefined {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    chmodSync(dir, 0o700)
    return dir
  } catch {
    return undefined
  }
}
