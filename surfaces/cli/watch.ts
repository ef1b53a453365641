import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import { parse } from 'yaml'

/** Editors write a file in several steps; a change counts once nothing more has come for so long. In milliseconds. */
const QUIET = 150

const CODE: ReadonlySet<string> = new Set(['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json'])

export interface Watched {
  readonly pipelineFile: string
  /** Where a `service.toml` may lie; it need not be there yet. */
  readonly settingsFiles: readonly string[]
}

/**
 * Calls `changed` after the pipeline file, a settings file, or code beside a plugin that the pipeline names by path was
 * written. Folders are watched, not files: an editor that replaces a file would leave a file's watcher behind.
 * Returns how to stop; `again` looks anew at which plugins the pipeline names.
 */
export function watchFiles(
  { pipelineFile, settingsFiles }: Watched,
  changed: () => void,
): { again(): void; stop(): void } {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let files = new Set<string>()
  let folders = new Set<string>()

  const seen = (folder: string, name: string | null): void => {
    const ours = name === null || files.has(resolve(folder, name)) || (folders.has(folder) && CODE.has(extname(name)))
    if (!ours) return
    clearTimeout(timer)
    timer = setTimeout(changed, QUIET)
  }
  const again = (): void => {
    const plugins = pluginPaths(pipelineFile)
    files = new Set([pipelineFile, ...settingsFiles])
    folders = new Set(plugins.map(path => dirname(path)))
    const wanted = new Set([...[...files].map(file => dirname(file)), ...folders])
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of wanted) {
      if (watchers.has(folder)) continue
      try {
        const watcher = watch(folder, (_event, name) => seen(folder, name))
        watcher.on('error', () => watchers.delete(folder))
        watchers.set(folder, watcher)
      } catch {
        // A folder that is not there has nothing to watch; its file is missed only until the next look.
      }
    }
  }
  again()
  return {
    again,
    stop() {
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

/** Files that the pipeline names behind `use`. A file that does not read as YAML names none. */
export function pluginPaths(pipelineFile: string): string[] {
  const found: string[] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key === 'use' && typeof value === 'string' && /^\.{0,2}[/\\]/.test(value)) {
        const path = resolve(dirname(pipelineFile), value)
        // A folder may be meant, whose index holds the plugin.
        found.push(CODE.has(extname(basename(path))) ? path : resolve(path, 'index.ts'))
      } else walk(value)
    }
  }
  try {
    walk(parse(readFileSync(pipelineFile, 'utf8')))
  } catch {
    return []
  }
  return found
}
