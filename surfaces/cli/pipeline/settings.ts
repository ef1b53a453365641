import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FlagValue, loadSettings, SettingsError } from '../../../config/load.ts'
import { sourcesOf } from '../../../config/origins.ts'
import { pipelineSettings } from '../../../config/providers.ts'
import { isSettingKey, ROWS } from '../../../config/schema.ts'
import { VARIABLE } from '../../../core/pipeline/interpolate.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import type { Settings, SourceOf } from '../../../core/pipeline/types.ts'

/** Settings, and where each was set. */
export interface KnownSettings {
  readonly settings: Settings
  readonly sourceOf?: SourceOf
}

/** What this machine has set. Throws `SettingsError`. */
export function ownSettings(): KnownSettings {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env })
  return { settings: pipelineSettings(loaded, process.env), sourceOf: sourcesOf(loaded) }
}

/** Settings that depend on nothing around: defaults, without checks of health, and what a test sets by dotted key (a variable as `env:NAME`). */
export interface Isolated {
  settings(overrides?: Readonly<Record<string, unknown>>): Promise<Settings>
  /** Removes the data directory that those settings name. */
  close(): Promise<void>
}

/** What a gateway does unasked would count among the calls that a test expects, as soon as its clock moves on. */
const QUIET = { provider_health_check_interval_secs: 0 }

/** Each call of `settings` has a data directory of its own, so that no test finds what another left. */
export function isolatedSettings(): Isolated {
  const folders: string[] = []
  return {
    async settings(overrides = {}) {
      const folder = await mkdtemp(join(tmpdir(), 'deflector-pipeline-'))
      folders.push(folder)
      const given = Object.entries({ ...QUIET, ...overrides })
      const isVariable = ([key]: readonly [string, unknown]): boolean => key.startsWith(VARIABLE)
      const flags = flagsOf(Object.fromEntries(given.filter(one => !isVariable(one))))
      const loaded = loadSettings({ cwd: folder, env: { SERVICE_DATA_DIR: folder }, flags })
      const variables = given.filter(isVariable).map(([key, value]) => [key.slice(VARIABLE.length), String(value)])
      return pipelineSettings(loaded, Object.fromEntries(variables))
    },
    async close() {
      await Promise.all(folders.splice(0).map(folder => rm(folder, { recursive: true, force: true })))
    },
  }
}

function flagsOf(overrides: Readonly<Record<string, unknown>>): FlagValue[] {
  return Object.entries(overrides).map(([key, value]) => {
    if (!isSettingKey(key)) {
      const hint = didYouMean(
        key,
        ROWS.map(([name]) => name),
      )
      throw new SettingsError([`there is no setting "${key}"${hint}`])
    }
    return { name: key, key, text: typeof value === 'string' ? value : JSON.stringify(value) }
  })
}
