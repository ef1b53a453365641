import { dirname, join } from 'node:path/posix'

/** Source files: path from the repository's root to text. */
export type Sources = ReadonlyMap<string, string>

/** What the package gives to others: the `exports` of its manifest, each with the source behind it. */
export type Entries = ReadonlyMap<string, string>

/** The names that a file imports; those of types, and of what it loads later, too. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name ?? '')

const isNode = (name: string): boolean => name.startsWith('node:')
const isLocal = (name: string): boolean => name.startsWith('.')
/** Where a relative import lands, from the root. */
const target = (file: string, name: string): string => join(dirname(file), name)
const within = (folder: string) => (file: string, name: string) =>
  isLocal(name) && target(file, name).startsWith(`${folder}/`)

/** The folder of the plugin a file belongs to: `plugins/layers/cloud`, or the role's folder for a plugin of one file. */
export const pluginFolder = (file: string): string => {
  const [area = '', role = '', name = ''] = file.split('/')
  const depth = area === 'plugins' ? [area, role, name] : [area, role]
  return depth.join('/').replace(/\.tsx?$/, '')
}

/** The source behind a specifier of this package; `*` stands for one file of a folder. */
function exported(name: string, entries: Entries): string | undefined {
  for (const [entry, source] of entries) {
    const [before = '', after] = `deflector${entry.slice(1)}`.split('*')
    if (after === undefined ? name === before : name.startsWith(before) && /^[a-z-]+$/.test(name.slice(before.length)))
      return source.slice(2).replace('*', name.slice(before.length))
  }
  return undefined
}

type Rule = (file: string, name: string, entries: Entries) => boolean

/** A plugin imports what the package gives to plugins from outside, too, and its own folder. */
const plugin =
  (folder: string): Rule =>
  (file, name, entries) => {
    if (file.startsWith('surfaces/cli/')) return true
    // What the contract suites are made of is for tests.
    if (/^deflector(\/|$)/.test(name)) return !/\/contracts\//.test(name) && exported(name, entries) !== undefined
    if (!isLocal(name)) return true
    const to = target(file, name)
    // `upstream` is no plugin: it is what the HTTP providers share.
    return to.startsWith(`${pluginFolder(file)}/`) || to.startsWith(`${folder}/upstream/`) || isPreset(file, to)
  }
/** A role folder's index lists its aliases, and may keep their table beside it. */
const isPreset = (file: string, to: string): boolean =>
  file === 'plugins/providers/index.ts' && to.startsWith('plugins/providers/presets')

const PLUGIN_FOLDERS = [
  'plugins/layers',
  'plugins/providers',
  'plugins/stores',
  'plugins/models',
  'plugins/observers',
  'surfaces',
] as const

/** By folder, what its files may import. */
const RULES: Readonly<Record<string, Rule>> = {
  core: (file, name) => isNode(name) || ['tapable', 'zod', 'yaml', 'jiti'].includes(name) || within('core')(file, name),
  'plugins/formats': (file, name) =>
    isNode(name) ||
    ['zod', 'deflector', 'eventsource-parser', 'lossless-json'].includes(name) ||
    within('plugins/formats')(file, name),
  'plugins/facets': (file, name) =>
    isNode(name) || ['zod', 'deflector'].includes(name) || within('plugins/facets')(file, name),
  'plugins/counters': (file, name, entries) =>
    isNode(name) ||
    name === 'zod' ||
    (/^deflector(\/|$)/.test(name) && !/\/contracts\//.test(name) && exported(name, entries) !== undefined) ||
    within('plugins/counters')(file, name),
  'plugins/credentials': (file, name) =>
    isNode(name) || ['zod', 'deflector', 'deflector/files'].includes(name) || within('plugins/credentials')(file, name),
  'plugins/files': (file, name) =>
    isNode(name) || ['zod', 'deflector'].includes(name) || within('plugins/files')(file, name),
  'plugins/heads': (file, name) =>
    isNode(name) || ['zod', 'deflector', 'deflector/files'].includes(name) || within('plugins/heads')(file, name),
  'plugins/model-process': (file, name) =>
    isNode(name) || ['deflector', '@xenova/transformers'].includes(name) || within('plugins/model-process')(file, name),
  'plugins/pricing': (file, name) =>
    isNode(name) ||
    ['zod', 'deflector', 'deflector/formats/vendor-names'].includes(name) ||
    within('plugins/pricing')(file, name),
  config: (file, name) =>
    isNode(name) ||
    // Quotas are by the names of vendors, which providers share.
    ['zod', '@decimalturn/toml-patch', 'env-paths', 'deflector/formats/vendor-names'].includes(name) ||
    within('config')(file, name) ||
    // How a mistake is told, in the settings as in the pipeline file.
    ['core/json/field-path.ts', 'core/masked-key.ts', 'core/pipeline/suggest.ts'].includes(target(file, name)),
  'ui-tui': (file, name) => (isLocal(name) ? within('ui-tui')(file, name) : !/^deflector(\/|$)/.test(name)),
  'surfaces/cli': (file, name) =>
    !isLocal(name) ||
    /^(core\/|config\/|surfaces\/cli\/|ui-tui\/)/.test(target(file, name)) ||
    // `deflector mcp` offers the very tools that the gateway offers over HTTP.
    (file === 'surfaces/cli/mcp.ts' && target(file, name).startsWith('surfaces/mcp/')),
  // A screen knows the gateway by its endpoints alone.
  'ui-web': (file, name) =>
    (!isNode(name) && !isLocal(name) && !/^deflector(\/|$)/.test(name)) || within('ui-web')(file, name),
  ...Object.fromEntries(PLUGIN_FOLDERS.map(folder => [folder, plugin(folder)])),
}

export const RULED: readonly string[] = Object.keys(RULES)

/** Imports that the place of their file does not allow, a line each. */
export function breaches(sources: Sources, folder: string, entries: Entries): string[] {
  const mayImport = RULES[folder]
  if (!mayImport) throw new Error(`there is no rule for ${folder}`)
  return under(sources, folder).flatMap(([file, text]) =>
    importsOf(text)
      .filter(name => !mayImport(file, name, entries))
      .map(name => `${file} imports ${name}`),
  )
}

export const under = (sources: Sources, folder: string): [file: string, text: string][] =>
  [...sources].filter(([file]) => file.startsWith(`${folder}/`))

/** Circles of imports, each as `a -> b -> a`. Where there is one at least one is found. */
export function circles(sources: Sources, entries: Entries): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const way: string[] = []
  const visit = (file: string): void => {
    const at = way.indexOf(file)
    if (at >= 0) found.push([...way.slice(at), file].join(' -> '))
    if (at >= 0 || done.has(file)) return
    way.push(file)
    for (const name of importsOf(sources.get(file) ?? '')) {
      const to = isLocal(name) ? target(file, name) : exported(name, entries)
      if (to !== undefined && sources.has(to)) visit(to)
    }
    way.pop()
    done.add(file)
  }
  for (const file of sources.keys()) visit(file)
  return found
}

/** Places where the core's code, comments aside, holds one of these names as a text of its own. */
export const spelled = (sources: Sources, names: ReadonlySet<string>): string[] =>
  under(sources, 'core').flatMap(([file, text]) => {
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    return [...code.matchAll(/(['"`])([\w-]+)\1/g)]
      .filter(([, , word = '']) => names.has(word))
      .map(([, , word]) => `${file} spells '${word}'`)
  })
