import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as zod from 'zod'
import { movedModules, pointOnExports } from '../moved.ts'

/** A module that plugins from outside may import, and the file that the host itself runs it from. */
export interface SharedModule {
  readonly specifier: string
  readonly file: string
}

const manifestSchema = zod.object({
  name: zod.string(),
  exports: zod.record(
    zod.string(),
    zod.union([zod.string(), zod.object({ development: zod.string(), default: zod.string() })]),
  ),
})

/** A checkout runs its sources, the package what was built of them: this file is one or the other. */
const CONDITION = extname(fileURLToPath(import.meta.url)) === '.ts' ? 'development' : 'default'

/** Every module under `exports` in this package's own manifest. */
export function packageModules(): SharedModule[] {
  const require = createRequire(import.meta.url)
  const { name, exports } = manifestSchema.parse(require('deflector/package.json'))
  const root = dirname(require.resolve('deflector/package.json'))
  return Object.entries(exports).flatMap(([entry, targets]): SharedModule[] => {
    if (typeof targets === 'string') return []
    const specifier = name + entry.slice(1)
    const file = join(root, targets[CONDITION])
    return specifier.includes('*') ? filesOf(specifier, file) : [{ specifier, file }]
  })
}

/** The modules behind a pattern: one for each file that fits it. */
function filesOf(specifier: string, pattern: string): SharedModule[] {
  const folder = dirname(pattern)
  const ending = basename(pattern).slice(1)
  return readdirSync(folder)
    .filter(file => file.endsWith(ending))
    .map(file => ({
      specifier: specifier.replace('*', file.slice(0, -ending.length)),
      file: join(folder, file),
    }))
}

/**
 * The modules by specifier, and zod, as jiti takes them: it hands a plugin what the promise of a module gives. Each is
 * loaded when a plugin first imports it, so one that needs something which is not installed burdens no other plugin.
 */
export function sharedModules(modules: readonly SharedModule[] = packageModules()): Record<string, unknown> {
  const table: Record<string, unknown> = { zod }
  const share = (specifier: string, get: () => Promise<object>): void =>
    void Object.defineProperty(table, specifier, { enumerable: true, get })
  for (const { specifier, file } of modules)
    share(specifier, async () => pointOnExports(specifier, await import(pathToFileURL(file).href)))
  for (const { specifier, load } of movedModules) share(specifier, load)
  return table
}
