import { relative } from 'node:path'
import type { Pipeline } from '../../core/pipeline/types.ts'

/** The address flags of `up`. */
export interface AddressFlags {
  readonly port?: number | undefined
  readonly host?: string | undefined
}

/** One line for each flag without effect, because the pipeline file sets a value of its own. */
export function overriddenFlags(flags: AddressFlags, pipeline: Pipeline, cwd: string): string[] {
  const file = relative(cwd, pipeline.file)
  const where = file.startsWith('..') ? pipeline.file : file
  const surfaces = [...pipeline.instances.surface.values()].map(({ name, options }) => ({
    name,
    options: new Map(Object.entries(typeof options === 'object' && options !== null ? options : {})),
  }))
  const listeners = surfaces.filter(({ options }) => options.has('port'))
  return (['port', 'host'] as const).flatMap(key => {
    const requested = flags[key]
    const values = listeners.filter(({ options }) => options.has(key))
    if (requested === undefined || values.some(({ options }) => options.get(key) === requested)) return []
    const own = values.map(({ name, options }) => `"${name}" has ${String(options.get(key))}`).join(', ')
    const place = `\${server.${key}}`
    return own === ''
      ? []
      : [`--${key} ${requested} has no effect: in ${where} surface ${own}; write '${place}' there to follow the flag`]
  })
}
