import { type LoadedSettings, sourceText } from '../../config/load.ts'
import { ROWS } from '../../config/schema.ts'
import { PipelineError, problemLine } from '../../core/gateway.ts'
import { CommandError } from './failure.ts'

/**
 * A pipeline file that fails over a value which a setting put there: the line in the file is not where the user can mend
 * it, so the setting and its source are added.
 */
export function explained(error: unknown, { values, sources }: LoadedSettings): unknown {
  if (!(error instanceof PipelineError)) return error
  return new CommandError(
    ...error.problems.map(problem => {
      const blamed = ROWS.flatMap(([key, row]) => {
        const source = sources.get(key)
        const value: unknown = values[key]
        if (row.secret || !source || source.kind === 'default' || typeof value !== 'string' || value === '') return []
        return problem.message.includes(`"${value}"`) ? [`${key} comes from ${sourceText(source)}`] : []
      })
      return problemLine(problem) + (blamed.length > 0 ? ` (${blamed.join(', ')})` : '')
    }),
  )
}
