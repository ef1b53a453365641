import { sourceText } from './given.ts'
import type { LoadedSettings } from './load.ts'
import { ROWS } from './schema.ts'

/**
 * One line that names every setting which is set though its feature is not there yet, or nothing. Otherwise an operator
 * would rely on a limit that is not enforced.
 */
export function pendingWarning({ sources }: Pick<LoadedSettings, 'sources'>): string | undefined {
  const set = ROWS.flatMap(([key, row]) => {
    const source = row.pending ? sources.get(key) : undefined
    return source && source.kind !== 'default' ? [`${key} (${sourceText(source)})`] : []
  })
  if (set.length === 0) return undefined
  return `these settings have no effect yet, because their feature is not there: ${set.join(', ')}`
}
