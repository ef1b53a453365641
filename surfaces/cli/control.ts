import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { GatewayError, isGatewayError } from 'deflector'
import {
  type Changed,
  type CheckDepth,
  type Checked,
  type Control,
  control,
  type Effects,
  type Expected,
  type ProviderChange,
} from 'deflector/facets/control'
import { runningPipeline } from 'deflector/facets/running-pipeline'
import { changedSettings } from '../../config/changed-settings.ts'
import { changeName, changesIn, checkChanges, ordersIn, type SettingChange } from '../../config/changes.ts'
import type { LoadedSettings, SettingsContext } from '../../config/load.ts'
import { maskedLines } from '../../config/masked-toml.ts'
import { SettingsError } from '../../config/problems.ts'
import { addedProvider, editedProvider, movedProvider, removedProvider } from '../../config/provider-changes.ts'
import { SETTINGS, type SettingKey } from '../../config/schema.ts'
import { type Prepared, prepare, settingsPlace, settingsText } from '../../config/settings-file.ts'
import { controlledSettings } from '../../config/show.ts'
import { leafAt, sourceText } from '../../config/sources.ts'
import { unifiedDiff } from '../../config/text-diff.ts'
import { editToml } from '../../config/toml-edit.ts'
import { codeOf } from '../../config/toml-file.ts'
import { orderToml } from '../../config/toml-order.ts'
import { unmask } from '../../config/unmask.ts'
import { problemLine, type Reloaded } from '../../core/gateway.ts'
import type { Generation } from '../../core/generation.ts'
import { runningGraph } from './pipeline/graph.ts'
import { countsFromStart, fixedUntilRestart } from './until-restart.ts'

/** Offers stand under an instance; this one is no plugin's. */
const PROCESS = { role: 'surface', name: '(process)' } as const

/** Offers a generation what only the process knows. */
export function offerProcess(
  next: Pick<Generation, 'pipeline' | 'facets' | 'asks' | 'around'>,
  steering: Control,
): void {
  next.facets.offer(control, PROCESS, steering)
  next.facets.offer(runningPipeline, PROCESS, () => runningGraph(next))
}

export interface Controlled {
  readonly cwd: string
  /** Those that the process was started with. */
  readonly started: LoadedSettings
  /** Those that the serving generation was made of. */
  served(): LoadedSettings
  /** Reads the settings anew, where there is a draft with this in place of the file. */
  load(draft?: SettingsContext['draft']): LoadedSettings
  reload(load: () => LoadedSettings): Promise<Reloaded>
  /** Builds what a reload would serve, and changes nothing. */
  tryOut(load: () => LoadedSettings): Promise<Reloaded>
}

type Draft = NonNullable<SettingsContext['draft']>

/** What a caller wants: changes, and maps in another order. */
interface Asked {
  changesOf(now: LoadedSettings): readonly SettingChange[]
  readonly orders?: ReadonlyMap<SettingKey, readonly string[]>
}

const askedBy = (patch: Readonly<Record<string, unknown>>): Asked => ({
  changesOf: () => changesIn(patch),
  orders: ordersIn(patch),
})

/** A change that is valid as far as the settings go. */
interface Planned {
  readonly before: string
  readonly draft: Draft
  readonly next: LoadedSettings
  readonly effects: Effects
  /** Changed earlier, and waiting for the next start still. */
  readonly waiting: readonly string[]
}

/**
 * Changes the settings of a running gateway: a change is checked as at the start, tried by a reload, and only then in
 * the file. Where anything fails, file and gateway stay as they were. Changes wait for each other.
 */
export function controlOf(controlled: Controlled): Control {
  const { cwd, started, served, load, reload, tryOut } = controlled
  const place = () => settingsPlace(cwd, started.dataDir)
  let last: Promise<unknown> = Promise.resolve()

  function plan({ changesOf, orders = new Map() }: Asked, { revision }: Expected): Planned {
    const file = place()
    const before = settingsText(file)
    if (revision !== undefined && revision !== revisionOf(before))
      throw new GatewayError('conflict', changedMeanwhile(file.label))
    const read = readable(() => load({ ...file, text: before }))
    const asked = changesOf(read).map(change => unmasked(change, read))
    const changes = asked.filter(change => change.value === undefined || !holds(change, read))
    checkChanges(changes)
    const edited = editToml(before, file.label, changes.map(tomlChange))
    const text = [...orders].reduce((all, [key, names]) => orderToml(all, file.label, key, names), edited)
    const draft = { ...file, text }
    const next = load(draft)
    refuseOverridden(changes, next)
    const now = served()
    const changed = changedSettings(now.values, next.values)
    const fixed: readonly SettingKey[] = fixedUntilRestart(started, next)
    const effects = {
      inEffect: changed.filter(key => !fixed.includes(key)),
      untilRestart: changed.filter(key => fixed.includes(key)),
    }
    return { before, draft, next, effects, waiting: fixed.filter(key => !effects.untilRestart.includes(key)) }
  }

  async function apply(asked: Asked, expected: Expected = {}): Promise<Changed> {
    const planned = plan(asked, expected)
    const { before, draft, effects, waiting } = planned
    const { text, ...file } = draft
    const revision = revisionOf(text)
    if (text === before)
      return { message: `${file.label} says so already`, inEffect: [], untilRestart: [], waiting, revision }
    const prepared = onDisk(file.label, () => prepare(file, text))
    try {
      const tried = await reload(() => load(draft))
      if (!tried.ok) throw new GatewayError('bad_request', cannotFollow(draftReasons(tried)))
      await commit(file, before, prepared)
    } finally {
      prepared.discard()
    }
    return { message: `saved to ${file.label}${thenText(planned)}`, ...effects, waiting, revision }
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

  async function check(
    patch: Readonly<Record<string, unknown>>,
    { quick = false, ...expected }: Expected & CheckDepth = {},
  ): Promise<Checked> {
    const before = settingsText(place())
    if (expected.revision !== undefined && expected.revision !== revisionOf(before))
      throw new GatewayError('conflict', changedMeanwhile(place().label))
    const refused = (messages: readonly string[]): Checked => {
      const names = namesIn(patch)
      const problems = messages.map(message => ({ setting: settingIn(message, names), message }))
      return { problems, diff: '', inEffect: [], untilRestart: [], revision: revisionOf(before) }
    }
    try {
      const { draft, effects } = plan(askedBy(patch), expected)
      const tried = quick || draft.text === before ? UNCHANGED : await tryOut(() => load(draft))
      if (!tried.ok) return refused(draftReasons(tried))
      const shown = { before: maskedLines(before), after: maskedLines(draft.text) }
      const diff = unifiedDiff(linesOf(before), linesOf(draft.text), shown)
      return { problems: [], diff, ...effects, revision: revisionOf(before) }
    } catch (error) {
      if (error instanceof SettingsError) return refused(error.problems)
      if (isGatewayError(error)) return refused([error.message])
      throw error
    }
  }

  async function readAgain(): Promise<Changed> {
    const before = served()
    const { ok, reasons } = await reload(load)
    if (!ok) throw new GatewayError('conflict', cannotFollow(reasons))
    const { label } = place()
    const changed = changedSettings(before.values, served().values)
    const fixed: readonly SettingKey[] = fixedUntilRestart(started, served())
    return {
      message: `${label} was read again`,
      inEffect: changed.filter(key => !fixed.includes(key)),
      untilRestart: changed.filter(key => fixed.includes(key)),
      waiting: fixed.filter(key => !changed.some(one => one === key)),
      revision: revisionOf(settingsText(place())),
    }
  }

  const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(run).catch(error => {
      throw told(error)
    })
    last = turn.catch(() => {})
    return turn
  }

  return {
    settingsFile() {
      const { path } = place()
      const unread = attempt(() => {
        return changedSettings(served().values, load().values)
      })
      const text = attempt(() => settingsText(place()))
      const problems = 'problems' in unread ? unread.problems : []
      const revision = revisionOf('result' in text ? text.result : '')
      return { path, revision, problems, unread: 'result' in unread ? unread.result : [] }
    },
    settings: () => controlledSettings(served()).map(one => ({ ...one, restart: countsFromStart(one.key) })),
    waiting: () => fixedUntilRestart(started, served()).map(key => ({ key, running: started.values[key] ?? null })),
    write: (patch, expected) => inTurn(() => apply(askedBy(patch), expected)),
    check: (patch, expected) => inTurn(() => check(patch, expected)),
    changeProviders: change => inTurn(() => apply({ changesOf: ({ values }) => providerChanges(values, change) })),
    reload: () => inTurn(readAgain),
  }
}

const UNCHANGED: Reloaded = { ok: true, problems: [], reasons: [] }

const changedMeanwhile = (label: string): string =>
  `${label} was changed by somebody else just now; look at it, and ask again`

/** Why a draft does not build. Its lines are in no file yet, so a wrong value is named by its setting. */
const draftReasons = ({ problems, reasons }: Reloaded): readonly string[] =>
  problems.length === 0
    ? reasons
    : problems.map(problem => (problem.of ? `${problem.of.setting}: ${problem.of.message}` : problemLine(problem)))

const cannotFollow = (reasons: readonly string[]): string => `the gateway cannot follow this: ${reasons.join('; ')}`

const revisionOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Which of the changed settings count now, and which from the next start on, also of earlier changes. */
function thenText({ effects: { inEffect, untilRestart }, waiting }: Pick<Planned, 'effects' | 'waiting'>): string {
  const nextStart = `${untilRestart.join(', ')} will count from the next start on`
  const earlier = waiting.length > 0 ? `; ${waiting.join(', ')}, changed earlier, still waits for the next start` : ''
  if (untilRestart.length === 0) return `, and in effect${earlier}`
  return `; ${inEffect.length > 0 ? `${inEffect.join(', ')} in effect, ` : ''}${nextStart}${earlier}`
}

/** Without the empty one behind the last line's end. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** The names that a patch has, dotted, down to its values. */
function namesIn(patch: Readonly<Record<string, unknown>>): string[] {
  try {
    return changesIn(patch).flatMap(change => [changeName(change), change.key])
  } catch {
    return []
  }
}

/** The setting of a patch that a message is about: the one that it names, or the only one there is. */
function settingIn(message: string, names: readonly string[]): string | null {
  const words = new Set(message.match(/[\w.-]+/g)?.map(word => word.replace(/\.$/, '')))
  const named = names.filter(name => words.has(name) || [...words].some(word => word.startsWith(`${name}.`)))
  const [longest] = named.toSorted((a, b) => b.length - a.length)
  const keys = new Set(names)
  return longest ?? (keys.size === 1 ? ([...keys][0] ?? null) : null)
}

function attempt<T>(run: () => T): { readonly result: T } | { readonly problems: readonly string[] } {
  try {
    return { result: run() }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return { problems: error.problems }
  }
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
