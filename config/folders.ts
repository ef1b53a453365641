import { existsSync } from 'node:fs'
import { folderFault } from './folder-fault.ts'
import type { LoadedSettings } from './load.ts'
import { SettingsError } from './problems.ts'
import type { SettingKey } from './schema.ts'

/** Settings that name a folder to write in, and the switch under which each counts. */
const FOLDERS: readonly { readonly key: SettingKey; readonly under?: SettingKey }[] = [
  { key: 'usage_log_path' },
  { key: 'request_log_path', under: 'enable_request_logs' },
]

/** A full or failing disk may have room again; with these a folder was named that is of no use. */
const USELESS = new Set(['EACCES', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS'])

/** Throws a `SettingsError` that names each folder which somebody set and nobody can write in. */
export function requireFolders({ values, sources, placeOf }: LoadedSettings): void {
  const problems = FOLDERS.flatMap(({ key, under }) => {
    const source = sources.get(key)
    if (!source || source.kind === 'default' || (under && values[under] !== true)) return []
    const path = String(values[key])
    const fault = folderFault(path)
    if (fault === undefined || !USELESS.has(fault)) return []
    const what = existsSync(path) ? 'nothing can be written in' : 'there can be no folder'
    return [`${placeOf(key)}: ${key}: ${what} ${path} (${fault}); name a folder that the gateway may write to`]
  })
  if (problems.length > 0) throw new SettingsError(problems)
}
