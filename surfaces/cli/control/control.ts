import { GatewayError, isGatewayError } from 'deflector'
import {
  type Changed,
  type CheckDepth,
  type Checked,
  type Control,
  control,
  type Expected,
} from 'deflector/facets/control'
import { runningPipeline } from 'deflector/facets/running-pipeline'
import { changedSettings } from '../../../config/changed-settings.ts'
import type { LoadedSettings } from '../../../config/load.ts'
import { maskedLines } from '../../../config/masked-toml.ts'
import { SettingsError } from '../../../config/problems.ts'
import { type Prepared, prepare, settingsText } from '../../../config/settings-file.ts'
import { controlledSettings } from '../../../config/show.ts'
import { unifiedDiff } from '../../../config/text-diff.ts'
import { codeOf } from '../../../config/toml-file.ts'
import { problemLine, type Reloaded } from '../../../core/gateway.ts'
import type { Generation } from '../../../core/generation.ts'
import { runningGraph } from '../pipeline/graph.ts'
import { countsFromStart, fixedUntilRestart } from '../until-restart.ts'
import {
  type Asked,
  askedBy,
  askedOf,
  changedMeanwhile,
  effectsOf,
  type Planned,
  placeOf,
  planOf,
  refuseOutdated,
  revisionOf,
  type Settings,
} from './plan.ts'
import { namesIn, settingIn } from './setting-of.ts'

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

export interface Controlled extends Settings {
  reload(load: () => LoadedSettings): Promise<Reloaded>
  /** Builds what a reload would serve, and changes nothing. */
  tryOut(load: () => LoadedSettings): Promise<Reloaded>
}

/**
 * Changes the settings of a running gateway: a change is checked as at the start, tried by a reload, and only then in
 * the file. Where anything fails, file and gateway stay as they were. Changes wait for each other.
 */
export function controlOf(controlled: Controlled): Control {
  const { started, served, load, reload, tryOut } = controlled
  const place = () => placeOf(controlled)
  let last: Promise<unknown> = Promise.resolve()

  async function apply(asked: Asked, expected: Expected = {}): Promise<Changed> {
    const planned = planOf(controlled, asked, expected)
    const { before, draft, effects, waiting } = planned
    const { text, ...file } = draft
    const revision = revisionOf(text)
    if (text === before)
      return { message: `${file.label} says so already`, inEffect: [], untilRestart: [], waiting, revision }
    const prepared = onDisk(file.label, () => prepare(file, before, text))
    try {
      const tried = await reload(() => load(draft))
      if (!tried.ok) throw new GatewayError('bad_request', cannotFollow(draftReasons(tried)))
      await commit(file, prepared)
    } finally {
      prepared.discard()
    }
    return { message: `saved to ${file.label}${thenText(planned)}`, ...effects, waiting, revision }
  }

  /** The gateway follows the draft by now: where it does not get into the file, the file has to be read again. */
  async function commit({ label }: ReturnType<typeof place>, prepared: Prepared): Promise<void> {
    try {
      if (!onDisk(label, () => prepared.commit())) throw changedMeanwhile(label)
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
    refuseOutdated(expected, before, place().label)
    const refused = (messages: readonly string[]): Checked => {
      const names = namesIn(patch)
      const problems = messages.map(message => ({ setting: settingIn(message, names), message }))
      return { problems, diff: '', inEffect: [], untilRestart: [], revision: revisionOf(before) }
    }
    try {
      const { draft, effects } = planOf(controlled, askedBy(patch), expected)
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
    const { effects, waiting } = effectsOf(started, before, served())
    const revision = revisionOf(settingsText(place()))
    return { message: `${label} was read again`, ...effects, waiting, revision }
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
    changeProviders: change => inTurn(() => apply(askedOf(change))),
    reload: () => inTurn(readAgain),
  }
}

const UNCHANGED: Reloaded = { ok: true, problems: [], reasons: [] }

/** Why a draft does not build. Its lines are in no file yet, so a wrong value is named by its setting. */
const draftReasons = ({ problems, reasons }: Reloaded): readonly string[] =>
  problems.length === 0
    ? reasons
    : problems.map(problem => (problem.of ? `${problem.of.setting}: ${problem.of.message}` : problemLine(problem)))

const cannotFollow = (reasons: readonly string[]): string => `the gateway cannot follow this: ${reasons.join('; ')}`

/** Which of the changed settings count now, and which from the next start on, also of earlier changes. */
function thenText({ effects: { inEffect, untilRestart }, waiting }: Pick<Planned, 'effects' | 'waiting'>): string {
  const nextStart = `${untilRestart.join(', ')} will count from the next start on`
  const earlier = waiting.length > 0 ? `; ${waiting.join(', ')}, changed earlier, still waits for the next start` : ''
  if (untilRestart.length === 0) return `, and in effect${earlier}`
  return `; ${inEffect.length > 0 ? `${inEffect.join(', ')} in effect, ` : ''}${nextStart}${earlier}`
}

/** Without the empty one behind the last line's end. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

function attempt<T>(run: () => T): { readonly result: T } | { readonly problems: readonly string[] } {
  try {
    return { result: run() }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return { problems: error.problems }
  }
}

function onDisk<T>(label: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof SettingsError) throw error
    const message = `${label} cannot be written (${codeOf(error)}); its folder must be one that the gateway may write to`
    throw new GatewayError('internal', message, { retryable: false })
  }
}

function told(error: unknown): unknown {
  if (isGatewayError(error) || !(error instanceof SettingsError)) return error
  return new GatewayError('bad_request', error.problems.join('; '))
}
