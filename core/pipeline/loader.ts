import { existsSync, readdirSync } from 'node:fs'
import { extname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createJiti, type JitiOptions } from 'jiti'
import * as zod from 'zod'
import { isPlugin, type Plugin } from '../plugin.ts'
import type { Role } from '../role.ts'
import type { ProblemCode } from './problems.ts'
import { sharedModules } from './shared-modules.ts'

/** A plugin as the pipeline file named it. */
export interface Found {
  readonly plugin: Plugin
  /** Options that an alias brings along (`use: groq`); the instance's own go on top. */
  readonly preset: Readonly<Record<string, unknown>>
  readonly origin: 'built-in' | 'path' | 'package'
  readonly file: string
}

export interface Loader {
  /** `use` is a built-in name or alias, a path (relative to `fromDir`) or a package. Throws `LoadError`. */
  load(role: Role, use: string, fromDir: string): Promise<Found>
  /** Built-in names and aliases of a role, sorted. */
  names(role: Role): Promise<string[]>
}

/** Why a plugin could not be had: not there, did not compile, is no plugin, plays another role. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  constructor(
    readonly code: Extract<ProblemCode, 'unknown_plugin' | 'broken_plugin' | 'not_a_plugin' | 'wrong_role'>,
    message: string,
    options?: ErrorOptions,
    /** What the plugin is, where it plays another role. */
    readonly actual?: Role,
  ) {
    super(message, options)
  }
}

/** Folders of the built-in plugins, by role. */
export type Roots = Readonly<Record<Role, string>>

interface Alias {
  readonly use: string
  readonly options: Readonly<Record<string, unknown>>
}

const aliasesOf = zod.object({
  aliases: zod.record(
    zod.string(),
    zod.object({ use: zod.string(), options: zod.record(zod.string(), zod.unknown()) }),
  ),
})

/** Built-ins are `.ts` in a checkout and `.js` in the package, like this file. */
const EXT = extname(fileURLToPath(import.meta.url))

const native = createJiti(import.meta.url, { tryNative: true, fsCache: false })

/** Built-in modules by file. Node runs each once, but asking it takes a search through files. */
const loaded = new Map<string, Promise<unknown>>()

function importBuiltIn(file: string): Promise<unknown> {
  const loading = loaded.get(file) ?? native.import(file)
  loaded.set(file, loading)
  loading.catch(() => loaded.delete(file))
  return loading
}

/** Where this package keeps its own plugins. */
export function packageRoots(): Roots {
  const at = (folder: string): string => fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  return {
    store: at('plugins/stores'),
    model: at('plugins/models'),
    provider: at('plugins/providers'),
    layer: at('plugins/layers'),
    observer: at('plugins/observers'),
    surface: at('surfaces'),
  }
}

/**
 * Loads plugins with jiti. Built-ins run as they are. Those from outside are compiled on the way, see the host's own
 * copy of zod and of all that this package exports, and are read anew on every load so that a reload sees their edits.
 *
 * `cacheDir` holds compiled code that is executed later: it must be private to the user. Without it nothing is cached.
 */
export function createLoader(roots: Roots = packageRoots(), cacheDir?: string): Loader {
  const aliases = new Map<Role, Promise<ReadonlyMap<string, Alias>>>()
  let shared: JitiOptions['virtualModules']

  async function readAliases(role: Role): Promise<ReadonlyMap<string, Alias>> {
    const index = join(roots[role], `index${EXT}`)
    if (!existsSync(index)) return new Map()
    const parsed = aliasesOf.safeParse(await importBuiltIn(index))
    return new Map(parsed.success ? Object.entries(parsed.data.aliases) : [])
  }
  function aliasOf(role: Role): Promise<ReadonlyMap<string, Alias>> {
    const known = aliases.get(role) ?? readAliases(role)
    aliases.set(role, known)
    return known
  }
  async function loadOutside(role: Role, use: string, fromDir: string): Promise<Found> {
    const origin = /^\.{0,2}[/\\]/.test(use) || isAbsolute(use) ? 'path' : 'package'
    shared ??= sharedModules()
    const jiti = createJiti(pathToFileURL(join(fromDir, 'pipeline.yaml')).href, {
      moduleCache: false,
      fsCache: cacheDir ?? false,
      jsx: true,
      virtualModules: shared,
    })
    const wanted = origin === 'path' ? resolve(fromDir, use) : use
    const file = jiti.esmResolve(wanted, { try: true })
    if (file === undefined) {
      const what =
        origin === 'path' ? nothingAt(wanted) : `no built-in ${role} and no installed package is called "${use}"`
      throw new LoadError('unknown_plugin', what)
    }
    return {
      plugin: pluginIn(await imported(jiti.import(file), use), role, use),
      preset: {},
      origin,
      file: file.startsWith('file:') ? fileURLToPath(file) : file,
    }
  }

  return {
    async load(role, use, fromDir) {
      const alias = (await aliasOf(role)).get(use)
      const file = builtIn(roots[role], alias?.use ?? use)
      if (!file) return loadOutside(role, use, fromDir)
      return {
        plugin: pluginIn(await imported(importBuiltIn(file), use), role, use),
        preset: alias?.options ?? {},
        origin: 'built-in',
        file,
      }
    },
    async names(role) {
      const own: string[] = []
      for (const name of pluginFiles(roots[role])) {
        const file = builtIn(roots[role], name)
        if (file && isPlugin(defaultOf(await importBuiltIn(file)))) own.push(name)
      }
      return [...own, ...(await aliasOf(role)).keys()].sort()
    },
  }
}

function nothingAt(path: string): string {
  if (!existsSync(path)) return `there is no file ${path}`
  return `the folder ${path} has no index.ts or index.js; add one that exports the plugin, or name a file`
}

async function imported(loading: Promise<unknown>, use: string): Promise<unknown> {
  try {
    return await loading
  } catch (error) {
    throw new LoadError('broken_plugin', `${use} does not load: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}

function pluginIn(loaded: unknown, role: Role, use: string): Plugin {
  const plugin = defaultOf(loaded)
  if (!isPlugin(plugin))
    throw new LoadError('not_a_plugin', `${use} has no default export made with define${capital(role)}()`)
  if (plugin.role !== role)
    throw new LoadError('wrong_role', `${use} is a ${plugin.role}, not a ${role}`, {}, plugin.role)
  return plugin
}

function defaultOf(loaded: unknown): unknown {
  return typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : undefined
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Names that a folder could hold a plugin under: `name.ts` or `name/index.ts`. */
function pluginFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => (entry.isDirectory() ? existsSync(join(folder, entry.name, `index${EXT}`)) : isSource(entry.name)))
    .map(entry => (entry.isDirectory() ? entry.name : entry.name.slice(0, -EXT.length)))
}

const isSource = (name: string): boolean => name.endsWith(EXT) && !name.endsWith(`.d${EXT}`) && name !== `index${EXT}`

function builtIn(folder: string, name: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) return undefined
  return [join(folder, `${name}${EXT}`), join(folder, name, `index${EXT}`)].find(file => existsSync(file))
}
