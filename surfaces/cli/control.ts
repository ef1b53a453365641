import { isDeepStrictEqual } from 'node:util'
import { GatewayError, isGatewayError } from 'deflector'
import type { Changed, Control, ControlledSetting, ProviderChange } from 'deflector/facets/control'
import { changeName, changesIn, checkChanges, type SettingChange } from '../../config/changes.ts'
import type { LoadedSettings, SettingsContext } from '../../config/load.ts'
import { SettingsError } from '../../config/problems.ts'
import { addedProvider, editedProvider, movedProvider, removedProvider } from '../../config/provider-changes.ts'
import { SETTINGS } from '../../config/schema.ts'
import { type Prepared, prepare, settingsPlace, settingsText } from '../../config/settings-file.ts'
import { controlledSettings } from '../../config/show.ts'
import { leafAt, sourceText } from '../../config/sources.ts'
import { editToml } from '../../config/toml-edit.ts'
import { codeOf } from '../../config/toml-file.ts'
import { unmask } from '../../config/unmask.ts'
import type { Reloaded } from '../../core/gateway.ts'
import { fixedUntilRestart } from './until-restart.ts'

/** Offers stand under an instance; this one is no plugin's. */
export const PROCESS = { role: 'surface', name: 'process' } as const

export interface Controlled {
  readonly cwd: string
  /** Those that the process was started with. */
  readonly started: LoadedSettings
  /** Those that the serving generation was made of. */
  served(): LoadedSettings
  /** Reads the settings anew, where there is a draft with this in place of the file. */
  load(draft?: SettingsContext['draft']): LoadedSettings
  reload(load: () => LoadedSettings): Promise<Reloaded>
}

/**
 * Changes the settings of a running gateway: a change is checked as at the start, tried by a reload, and only then in
 * the file. Where anything fails, file and gateway stay as they were. Changes wait for each other.
 */
export function controlOf(controlled: Controlled): Control {
  const { cwd, started, served, load, reload } = controlled
  const place = () => settingsPlace(cwd, started.dataDir)
  let last: Promise<unknown> = Promise.resolve()

  async function apply(changesOf: (now: LoadedSettings) => readonly SettingChange[]): Promise<Changed> {
    const file = place()
    const before = settingsText(file)
    const read = readable(() => load({ ...file, text: before }))
    const asked = changesOf(read).map(change => unmasked(change, read))
    const changes = asked.filter(change => change.value === undefined || !holds(change, read))
    checkChanges(changes)
    const text = editToml(before, file.label, changes.map(tomlChange))
    const draft = { ...file, text }
    const next = load(draft)
    refuseOverridden(changes, next)
    if (text === before) return { message: `${file.label} says so already`, restartRequired: false }
    const prepared = onDisk(file.label, () => prepare(file, text))
    try {
      const { ok, reasons } = await reload(() => load(draft))
      if (!ok) throw new GatewayError('bad_request', `the gateway cannot follow this: ${reasons.join('; ')}`)
      await commit(file, before, prepared)
    } finally {
      prepared.discard()
    }
    const waiting = fixedUntilRestart(started, next)
    const then = waiting.length > 0 ? `; ${waiting.join(', ')} will count from the next start on` : ', and in effect'
    return { message: `saved to ${file.label}${then}`, restartRequired: waiting.length > 0 }
  }

  /** The gateway follows the draft by now: where it does not get into the file, the file has to be read again. */
  async function commit(file: ReturnType<typeof place>, before: string, prepared: Prepared): Promise<void> {
    try {
      if (settingsText(file) !== before) throw new GatewayError('conflict', changedMeanwhile(file.label))
      onDisk(file.label, () => prepared.commit())
    } catch (error) {
      await reload(load)
      throw error
    }
  }

  const inTurn = (run: () => Promise<Changed>): Promise<Changed> => {
    const turn = last.then(run).catch(error => {
      throw told(error)
    })
    last = turn.catch(() => {})
    return turn
  }

  return {
    get file() {
      return place().path
    },
    settings: (): readonly ControlledSetting[] => controlledSettings(served()),
    write: patch => inTurn(() => apply(() => changesIn(patch))),
    changeProviders: change => inTurn(() => apply(({ values }) => providerChanges(values, change))),
  }
}

const changedMeanwhile = (label: string): string =>
  `${label} was changed by somebody else just now; look at it, and ask again`

function providerChanges(values: LoadedSettings['values'], change: ProviderChange): SettingChange[] {
  switch (change.kind) {
    case 'add':
      return addedProvider(values, change.entry, change.position)
    case 'edit':
      return editedProvider(values, change.name, change.entry)
    case 'remove':
      return removedProvider(values, change.name)
    case 'move':
      return movedProvider(values, change.name, change.position)
  }
}

const tomlChange = ({ key, path, value }: SettingChange) => {
  const [first = key, ...rest] = key.split('.')
  return { path: [first, ...rest, ...path] as const, value }
}

const holds = ({ key, path, value }: SettingChange, { values }: LoadedSettings): boolean =>
  isDeepStrictEqual(leafAt(values[key], path), value)

const unmasked = (change: SettingChange, { values }: LoadedSettings): SettingChange => {
  const { key, path, value } = change
  return { ...change, value: unmask(value, leafAt(values[key], path), SETTINGS[key].secret, changeName(change)) }
}

/** A variable or a flag stands over the file: what is written there would change nothing. */
function refuseOverridden(changes: readonly SettingChange[], { sources }: LoadedSettings): void {
  for (const change of changes) {
    const name = changeName(change)
    const above = change.value === undefined ? undefined : sources.get(change.key)
    const inside = [...sources]
      .filter(([key]) => key === name || key.startsWith(`${name}.`))
      .map(([, source]) => source)
    const over = (inside.length > 0 ? inside : [above]).find(
      source => source?.kind === 'env' || source?.kind === 'flag',
    )
    if (over) {
      const message = `${name} is set by ${sourceText(over)}, which stands over the file; change it there`
      throw new GatewayError('conflict', message, { param: name })
    }
  }
}

/** A file that was broken by hand is put right by hand. */
function readable(read: () => LoadedSettings): LoadedSettings {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    throw new GatewayError('conflict', `the settings have mistakes already: ${error.problems.join('; ')}`)
  }
}

function onDisk<T>(label: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const message = `${label} cannot be written (${codeOf(error)}); its folder must be one that the gateway may write to`
    throw new GatewayError('internal', message, { retryable: false })
  }
}

function told(error: unknown): unknown {
  if (isGatewayError(error) || !(error instanceof SettingsError)) return error
  return new GatewayError('bad_request', error.problems.join('; '))
}
