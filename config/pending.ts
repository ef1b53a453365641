import type { LoadedSettings } from './load.ts'
import type { Row } from './row.ts'
import { ROWS, type SettingKey } from './schema.ts'
import { sourceText } from './sources.ts'

/**
 * One line with every setting that is set but has no effect yet, or `undefined`. Without it an operator would rely on a
 * limit that is not enforced.
 */
export function pendingWarning(
  { sources }: Pick<LoadedSettings, 'sources'>,
  rows: readonly (readonly [SettingKey, Pick<Row, 'pending'>])[] = ROWS,
): string | undefined {
  const set = rows.flatMap(([key, row]) => {
    const source = row.pending ? sources.get(key) : undefined
    return source && source.kind !== 'default' ? [`${key} (${sourceText(source)})`] : []
  })
  if (set.length === 0) return undefined
  return `these settings have no effect yet, because their feature does not exist: ${set.join(', ')}`
}
