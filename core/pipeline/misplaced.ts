import type { Role } from '../role.ts'
import type { Loader } from './loader.ts'
import { type Declared, SECTIONS } from './sections.ts'

/** A flow lists something that is no layer: what it is, and where it belongs. `undefined` when nothing has this name. */
export async function misplaced(
  { name }: Declared,
  all: readonly Declared[],
  loader: Loader,
  fromDir: string,
): Promise<string | undefined> {
  const declared = all.find(one => one.role !== 'layer' && one.name === name)
  let role = declared?.role
  for (const other of Object.values(SECTIONS)) {
    if (role === undefined && other !== 'layer' && (await namesOf(loader, other)).includes(name)) role = other
  }
  if (role === undefined || role === 'layer') return undefined
  const what = `flows list layers, and "${name}" is ${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`
  if (role === 'surface') return `${what}: it feeds a flow by a "flow:" of its own`
  if (role === 'observer') return `${what}: it sees every exchange without being listed`
  const section = Object.entries(SECTIONS).find(([, one]) => one === role)?.[0]
  const declare = declared ? '' : `declare it under "${section}", and `
  const options = await optionsFor(role, all, loader, fromDir)
  return `${what}: ${declare}name it in an option of a layer${options.length > 0 ? `: ${options.join(', ')}` : ''}`
}

/** The options of layers, declared ones before built-in ones, that take the names of instances of this role. */
async function optionsFor(
  role: 'store' | 'model' | 'provider',
  all: readonly Declared[],
  loader: Loader,
  fromDir: string,
): Promise<string[]> {
  const layers = all.filter(one => one.role === 'layer' && !one.implicit).map(({ name, use = name }) => ({ name, use }))
  const optionsOf = async (of: readonly { readonly name: string; readonly use: string }[]): Promise<string[]> => {
    const found: string[] = []
    for (const { name, use } of of) {
      const option = await loader.load('layer', use, fromDir).then(
        ({ plugin }) => plugin.asks[role],
        () => undefined,
      )
      if (option !== undefined) found.push(`"${option}" of layer "${name}"`)
    }
    return found
  }
  const own = await optionsOf(layers)
  if (own.length > 0) return own
  return optionsOf((await namesOf(loader, 'layer')).map(name => ({ name, use: name })))
}

/** A built-in that does not load must not hide what is wrong with the file. */
export const namesOf = (loader: Loader, role: Role): Promise<string[]> => loader.names(role).catch(() => [])
