import { isDeepStrictEqual } from 'node:util'
import { ROWS, type SettingKey, type SettingValues } from './schema.ts'
import { isTable } from './sources.ts'

/** The settings whose values differ; where the order of a map's names counts, also those in another order. */
export const changedSettings = (before: SettingValues, after: SettingValues): readonly SettingKey[] =>
  ROWS.flatMap(([key, { ordered }]) => {
    const [one, other] = [before[key], after[key]]
    const same = isDeepStrictEqual(one, other) && (!ordered || isDeepStrictEqual(namesOf(one), namesOf(other)))
    return same ? [] : [key]
  })

const namesOf = (value: unknown): readonly string[] => (isTable(value) ? Object.keys(value) : [])
