import { type LoadedSettings, sourceText } from '../../config/load.ts'
import { ROWS } from '../../config/schema.ts'
import { PipelineError, problemLine } from '../../core/gateway.ts'
import { CommandError } from './failure.ts'

/**
 * Adds the setting and its source to problems with a value that came from a setting: the user must correct it there, not
 * in the pipeline file.
 */
export function withSources(error: unknown, { values, sources }: LoadedSettings): unknown {
  if (!(error instanceof PipelineError)) return error
  return new CommandError(
    ...error.problems.map(problem => {
      const origins = ROWS.flatMap(([key, row]) => {
        const source = sources.get(key)
        const value: unknown = values[key]
        if (row.secret || !source || source.kind === 'default' || typeof value !== 'string' || value === '') return []
        const origin = `${key} comes from ${sourceText(source)}`
        return problem.message.includes(`"${value}"`) && !problem.message.includes(origin) ? [origin] : []
      })
      return problemLine(problem) + (origins.length > 0 ? ` (${origins.join(', ')})` : '')
    }),
  )
}
