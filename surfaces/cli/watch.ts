import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import { parse } from 'yaml'

/** Editors write a file in several steps, so a change counts after this many milliseconds without another one. */
const QUIET = 150

const CODE: ReadonlySet<string> = new Set(['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json'])

export interface Watched {
  readonly pipelineFile: string
  /** Possible places of `service.toml`; none has to exist. */
  readonly settingsFiles: readonly string[]
}

/**
 * Calls `changed` after a write to the pipeline file, a settings file, or code beside a plugin that the pipeline names by
 * path. Folders are watched, not files: an editor that replaces a file would end a watcher of the file. `update` watches
 * the plugins that the pipeline names now.
 */
export function watchFiles(
  { pipelineFile, settingsFiles }: Watched,
  changed: () => void,
): { update(): void; stop(): void } {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let files = new Set<string>()
  let folders = new Set<string>()

  const onEvent = (folder: string, name: string | null): void => {
    const ours = name === null || files.has(resolve(folder, name)) || (folders.has(folder) && CODE.has(extname(name)))
    if (!ours) return
    clearTimeout(timer)
    timer = setTimeout(changed, QUIET)
  }
  const update = (): void => {
    const plugins = pluginPaths(pipelineFile)
    files = new Set([pipelineFile, ...settingsFiles])
    folders = new Set(plugins.map(path => dirname(path)))
    const watched = new Set([...[...files].map(file => dirname(file)), ...folders])
    for (const [folder, watcher] of watchers) {
      if (watched.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of watched) {
      if (watchers.has(folder)) continue
      try {
        const watcher = watch(folder, (_event, name) => onEvent(folder, name))
        watcher.on('error', () => watchers.delete(folder))
        watchers.set(folder, watcher)
      } catch {
        // A missing folder cannot be watched; the next update tries again.
      }
    }
  }
  update()
  return {
    update,
    stop() {
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

/** Plugin files that the pipeline names by path. An invalid YAML file names none. */
export function pluginPaths(pipelineFile: string): string[] {
  const found: string[] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key === 'use' && typeof value === 'string' && /^\.{0,2}[/\\]/.test(value)) {
        const path = resolve(dirname(pipelineFile), value)
        // The path may name a folder with the plugin in its index.
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
