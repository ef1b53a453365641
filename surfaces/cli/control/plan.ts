import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from 'deflector'
import type { Effects, Expected, ProviderChange } from 'deflector/facets/control'
import { changedSettings } from '../../../config/changed-settings.ts'
import { changeName, changesIn, checkChanges, ordersIn, type SettingChange } from '../../../config/changes.ts'
import type { LoadedSettings, SettingsContext } from '../../../config/load.ts'
import { SettingsError } from '../../../config/problems.ts'
import { addedProvider, editedProvider, movedProvider, removedProvider } from '../../../config/provider-changes.ts'
import { SETTINGS, type SettingKey } from '../../../config/schema.ts'
import { settingsPlace, settingsText } from '../../../config/settings-file.ts'
import { leafAt, sourceText } from '../../../config/sources.ts'
import { editToml } from '../../../config/toml-edit.ts'
import { orderToml } from '../../../config/toml-order.ts'
import { unmask } from '../../../config/unmask.ts'
import { fixedUntilRestart } from '../until-restart.ts'

/** The settings of the process that changes are made to. */
export interface Settings {
  readonly cwd: string
  /** Those that the process was started with. */
  readonly started: LoadedSettings
  /** Those that the serving generation was made of. */
  served(): LoadedSettings
  /** Reads the settings anew, where there is a draft with this in place of the file. */
  load(draft?: SettingsContext['draft']): LoadedSettings
}

/** What a caller wants: changes, and maps in another order. */
export interface Asked {
  changesOf(now: LoadedSettings): readonly SettingChange[]
  readonly orders?: ReadonlyMap<SettingKey, readonly string[]>
}

/** The settings that a merge patch names. */
export const askedBy = (patch: Readonly<Record<string, unknown>>): Asked => ({
  changesOf: () => changesIn(patch),
  orders: ordersIn(patch),
})

/** What an operator does to the list of providers. */
export const askedOf = (change: ProviderChange): Asked => ({
  changesOf: ({ values }) => providerChanges(values, change),
})

/** A change that is valid as far as the settings go. */
export interface Planned {
  readonly before: string
  readonly draft: NonNullable<SettingsContext['draft']>
  readonly effects: Effects
  /** Changed earlier, and waiting for the next start still. */
  readonly waiting: readonly string[]
}

/** Throws a `GatewayError` or a `SettingsError` for what cannot be written. Nothing is written yet. */
export function planOf(settings: Settings, { changesOf, orders = new Map() }: Asked, expected: Expected): Planned {
  const { started, served, load } = settings
  const file = placeOf(settings)
  const before = settingsText(file)
  refuseOutdated(expected, before, file.label)
  const read = readable(() => load({ ...file, text: before }))
  const asked = changesOf(read).map(change => unmasked(change, read))
  const changes = asked.filter(change => change.value === undefined || !holds(change, read))
  checkChanges(changes)
  const edited = editToml(before, file.label, changes.map(tomlChange))
  const text = [...orders].reduce((all, [key, names]) => orderToml(all, file.label, key, names), edited)
  const draft = { ...file, text }
  const next = load(draft)
  refuseOverridden(changes, next)
  refuseLockout(next)
  return { before, draft, ...effectsOf(started, served(), next) }
}

export const placeOf = ({ cwd, started }: Settings): ReturnType<typeof settingsPlace> =>
  settingsPlace(cwd, started.dataDir)

/** Which settings a change of `now` to `next` puts into effect, and which wait for the next start. */
export function effectsOf(
  started: LoadedSettings,
  now: LoadedSettings,
  next: LoadedSettings,
): Pick<Planned, 'effects' | 'waiting'> {
  const changed = changedSettings(now.values, next.values)
  const fixed: readonly SettingKey[] = fixedUntilRestart(started, next)
  const untilRestart = changed.filter(key => fixed.includes(key))
  return {
    effects: { inEffect: changed.filter(key => !fixed.includes(key)), untilRestart },
    waiting: fixed.filter(key => !untilRestart.includes(key)),
  }
}

/** Names a text of the settings file, so that a caller can say which one its change is meant for. */
export const revisionOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

export const changedMeanwhile = (label: string): GatewayError =>
  new GatewayError('conflict', `${label} was changed by somebody else just now; look at it, and ask again`)

/** Throws where the caller has seen another text than `now`. */
export function refuseOutdated({ revision }: Expected, now: string, label: string): void {
  if (revision !== undefined && revision !== revisionOf(now)) throw changedMeanwhile(label)
}

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

/** Nobody could take it back by the way it came. A file written by hand may say so: who wrote it can write it anew. */
function refuseLockout({ values: { gateway_api_key: single, gateway_api_keys: several } }: LoadedSettings): void {
  if (single !== '' || several.length === 0 || several.some(({ admin }) => admin)) return
  throw new GatewayError(
    'bad_request',
    'this would leave gateway keys of which none may administer the gateway; give one of gateway_api_keys admin = true',
    { param: 'gateway_api_keys' },
  )
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
