import { relative } from 'node:path'
import type { Pipeline } from '../../core/pipeline/types.ts'

/** What `up` was asked for on the command line. */
export interface AskedAddress {
  readonly port?: number | undefined
  readonly host?: string | undefined
}

/** One line for each flag that no listening surface follows, because the pipeline file has a value of its own there. */
export function overriddenFlags(asked: AskedAddress, pipeline: Pipeline, cwd: string): string[] {
  const file = relative(cwd, pipeline.file)
  const where = file.startsWith('..') ? pipeline.file : file
  const surfaces = [...pipeline.instances.surface.values()].map(({ name, options }) => ({
    name,
    options: new Map(Object.entries(typeof options === 'object' && options !== null ? options : {})),
  }))
  const listeners = surfaces.filter(({ options }) => options.has('port'))
  return (['port', 'host'] as const).flatMap(key => {
    const wanted = asked[key]
    const values = listeners.filter(({ options }) => options.has(key))
    if (wanted === undefined || values.some(({ options }) => options.get(key) === wanted)) return []
    const own = values.map(({ name, options }) => `"${name}" has ${String(options.get(key))}`).join(', ')
    const place = `\${server.${key}}`
    return own === ''
      ? []
      : [`--${key} ${wanted} has no effect: in ${where} surface ${own}; write '${place}' there to follow the flag`]
  })
}
