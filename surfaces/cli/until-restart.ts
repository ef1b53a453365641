import type { LoadedSettings } from '../../config/load.ts'

/** The log is created once, before the first generation. */
const FIXED = ['log_level', 'log_format'] as const

/** One line for each setting that a reload changed and that the running process cannot follow. */
export const untilRestart = (started: Pick<LoadedSettings, 'values'>, now: Pick<LoadedSettings, 'values'>): string[] =>
  FIXED.filter(key => started.values[key] !== now.values[key]).map(
    key => `${key} is "${started.values[key]}" until the next start, and "${now.values[key]}" from then on`,
  )
