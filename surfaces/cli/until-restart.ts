import type { LoadedSettings } from '../../config/load.ts'

/** The log is created once, before the first generation, and so is the choice of the pipeline's file. */
const FIXED = ['log_level', 'log_format', 'pipeline'] as const

/** Does a change of this setting count from the next start on? */
export const countsFromStart = (key: string): boolean => FIXED.some(one => one === key)

/** The settings that changed and that the running process cannot follow. */
export const fixedUntilRestart = (
  started: Pick<LoadedSettings, 'values'>,
  now: Pick<LoadedSettings, 'values'>,
): (typeof FIXED)[number][] => FIXED.filter(key => started.values[key] !== now.values[key])

/** One line for each setting that a reload changed and that the running process cannot follow. */
export const untilRestart = (started: Pick<LoadedSettings, 'values'>, now: Pick<LoadedSettings, 'values'>): string[] =>
  fixedUntilRestart(started, now).map(
    key => `${key} is "${started.values[key] ?? ''}" until the next start, and "${now.values[key] ?? ''}" from then on`,
  )
