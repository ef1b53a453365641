import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Place } from './messages.ts'

/**
 * Finds a model: a folder, a copy with the file `weights` that another program has downloaded into the hub's cache, or a hub
 * id that the library fetches into `cacheDir`. Throws an `Error` when the name can be none of these.
 */
export function placeOf(model: string, cacheDir: string, weights: string): Place {
  const folder = resolve(model)
  if (isFolder(folder)) return { model: basename(folder), parent: dirname(folder), cacheDir }
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(model)) throw new Error(`there is no folder ${folder}`)
  const copy = hubCopy(model, cacheDir, weights)
  return copy === undefined ? { model, cacheDir } : { model: basename(copy), parent: dirname(copy), cacheDir }
}

/** `<cache>/hub/models--owner--name/snapshots/<revision>`, as the hub's own programs keep it. */
function hubCopy(model: string, cacheDir: string, weights: string): string | undefined {
  const snapshots = join(cacheDir, 'hub', `models--${model.replaceAll('/', '--')}`, 'snapshots')
  if (!isFolder(snapshots)) return undefined
  return readdirSync(snapshots)
    .map(revision => join(snapshots, revision))
    .find(folder => existsSync(join(folder, weights)))
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
