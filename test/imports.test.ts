import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const root = fileURLToPath(new URL('..', import.meta.url))

const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .map(file => join(folder, file))

const imports = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, name]) => name ?? '',
  )

const isNode = (name: string): boolean => name.startsWith('node:')
const isLocal = (name: string): boolean => name.startsWith('.')
/** Where a relative import lands, from the root. */
const target = (file: string, name: string): string => relative(root, join(root, dirname(file), name))
const within = (folder: string) => (file: string, name: string) =>
  isLocal(name) && target(file, name).startsWith(`${folder}/`)
/** The folder of the plugin a file belongs to: `plugins/layers/cloud`, or the role's folder for a plugin of one file. */
const pluginFolder = (file: string): string => {
  const [area = '', role = '', name = ''] = file.split('/')
  const depth = area === 'plugins' ? [area, role, name] : [area, role]
  return depth.join('/').replace(/\.tsx?$/, '')
}

/**
 * What the package gives to plugins, ours and those from outside alike: everything under `exports` but what only tests
 * may use. `*` stands for one file of a folder.
 */
const exported = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports)
  .filter(entry => !entry.startsWith('./contracts/'))
  .map(entry => new RegExp(`^deflector${entry.slice(1).replace('*', '[a-z-]+')}$`))
const isForPlugins = (name: string): boolean =>
  !/^deflector(\/|$)/.test(name) || exported.some(pattern => pattern.test(name))

type Rule = (file: string, name: string) => boolean
const RULES: readonly (readonly [folder: string, mayImport: Rule])[] = [
  [
    'core',
    (file, name) => isNode(name) || ['tapable', 'zod', 'yaml', 'jiti'].includes(name) || within('core')(file, name),
  ],
  [
    'plugins/formats',
    (file, name) =>
      isNode(name) ||
      ['zod', 'deflector', 'eventsource-parser', 'lossless-json'].includes(name) ||
      within('plugins/formats')(file, name),
  ],
  [
    'plugins/facets',
    (file, name) => isNode(name) || ['zod', 'deflector'].includes(name) || within('plugins/facets')(file, name),
  ],
  [
    'config',
    (file, name) =>
      isNode(name) ||
      ['zod', '@decimalturn/toml-patch', 'env-paths'].includes(name) ||
      within('config')(file, name) ||
      // How a mistake is told, in the settings as in the pipeline file.
      ['core/json/field-path.ts', 'core/pipeline/suggest.ts'].includes(target(file, name)),
  ],
  [
    'surfaces/cli',
    (file, name) =>
      !isLocal(name) ||
      /^(core\/|config\/|surfaces\/cli\/)/.test(target(file, name)) ||
      // `deflector mcp` offers the very tools that the gateway offers over HTTP.
      (file === 'surfaces/cli/mcp.ts' && target(file, name).startsWith('surfaces/mcp/')),
  ],
  ...['plugins/layers', 'plugins/providers', 'plugins/stores', 'plugins/models', 'plugins/observers', 'surfaces'].map(
    folder =>
      [
        folder,
        (file: string, name: string) => {
          if (file.startsWith('surfaces/cli/')) return true
          if (!isLocal(name)) return isForPlugins(name)
          const to = target(file, name)
          // `upstream` is no plugin: it is what the HTTP providers share.
          return to.startsWith(`${pluginFolder(file)}/`) || to.startsWith(`${folder}/upstream/`) || isPreset(file, to)
        },
      ] as const,
  ),
]
/** A role folder's index lists its aliases, and may keep their table beside it. */
const isPreset = (file: string, to: string): boolean =>
  file === 'plugins/providers/index.ts' && to.startsWith('plugins/providers/presets')

for (const [folder, mayImport] of RULES) {
  test(`${folder} imports only what its place allows`, () => {
    const breaches = existing(folder).flatMap(file =>
      imports(file)
        .filter(name => !mayImport(file, name))
        .map(name => `${file} imports ${name}`),
    )
    assert.equal(breaches, [])
  })
}

function existing(folder: string): string[] {
  try {
    return sources(folder)
  } catch {
    return []
  }
}

test('core spells no layer, surface or vendor', () => {
  const plugins = ['plugins/layers', 'plugins/providers', 'plugins/stores', 'surfaces']
    .flatMap(existing)
    .map(pluginFolder)
  const names = new Set(plugins.map(folder => folder.split('/').at(-1) ?? '').filter(name => !COMMON_WORDS.has(name)))
  for (const vendor of ['openai', 'anthropic', 'groq', 'mistral', 'ollama', 'gemini']) names.add(vendor)
  assert.ok(names.has('exact-cache') && names.has('chat-completions'), 'the plugin folders are read')
  const spelled = sources('core').flatMap(file => {
    const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    return [...names]
      .filter(name => new RegExp(`['"\`]${name}['"\`]`).test(code))
      .map(name => `${file} spells '${name}'`)
  })
  assert.equal(spelled, [])
})

/** Names of plugins that are also ordinary words of the core. */
const COMMON_WORDS = new Set(['index', 'messages', 'models', 'cache', 'session', 'upstream', 'memory'])

test.run()
