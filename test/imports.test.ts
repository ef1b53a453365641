import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { aliases } from '../plugins/providers/index.ts'
import { breaches, circles, pluginFolder, RULED, type Sources, spelled, under } from './support/imports.ts'
import { root } from './support/markdown.ts'

const AREAS = ['core', 'plugins', 'surfaces', 'config', 'scripts', 'test', 'ui-tui', 'ui-web']

const sources: Sources = new Map(
  AREAS.flatMap(area =>
    readdirSync(join(root, area), { recursive: true, encoding: 'utf8' })
      .map(file => `${area}/${file.replaceAll('\\', '/')}`)
      .filter(file => /\.(?:tsx?|mjs)$/.test(file) && !file.includes('/node_modules/'))
      .map(file => [file, readFileSync(join(root, file), 'utf8')] as const),
  ),
)

const manifest = z
  .object({ exports: z.record(z.string(), z.union([z.string(), z.object({ development: z.string() })])) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
const entries = new Map(
  Object.entries(manifest.exports).flatMap(([entry, to]) =>
    typeof to === 'string' ? [] : [[entry, to.development] as const],
  ),
)

for (const folder of RULED) {
  test(`${folder} imports only what its place allows`, () => {
    assert.ok(under(sources, folder).length > 0, 'the folder is read')
    assert.equal(breaches(sources, folder, entries), [])
  })
}

test('no files import each other in a circle', () => {
  assert.equal(circles(sources, entries), [])
})

/** Names of plugins that are also ordinary words of the core. */
const COMMON_WORDS = ['index', 'models', 'cache', 'session', 'upstream', 'memory', 'custom', 'quota', 'usage']

/** Names of layers, providers, stores, surfaces, dialects and vendors. */
function names(): Set<string> {
  const plugins = ['plugins/layers', 'plugins/providers', 'plugins/stores', 'surfaces'].flatMap(folder =>
    under(sources, folder),
  )
  const dialects = under(sources, 'plugins/formats').filter(([, text]) => /: (?:ChatFormat|Dialect) = /.test(text))
  const files = [...plugins, ...dialects].map(([file]) => pluginFolder(file).split('/').at(-1) ?? '')
  const all = new Set([...files, ...Object.keys(aliases)])
  for (const word of COMMON_WORDS) all.delete(word)
  return all
}

test('core spells no layer, surface, dialect or vendor', () => {
  for (const name of ['exact-cache', 'chat-completions', 'messages', 'native', 'http', 'anthropic', 'groq'])
    assert.ok(names().has(name), `${name} is looked for`)
  assert.equal(spelled(sources, names()), [])
})

const planted = (files: Readonly<Record<string, string>>): Sources => new Map(Object.entries(files))

test('the check of circles finds one that goes over a type, and one over the name of this package', () => {
  const over = {
    'core/index.ts': "export * from './a.ts'\n",
    'core/a.ts': "import type { B } from './b.ts'\n",
    'core/b.ts': "import {\n  type A,\n} from './a.ts'\n",
    'core/c.ts': "import { a } from './a.ts'\n",
  }
  assert.equal(circles(planted(over), entries), ['core/a.ts -> core/b.ts -> core/a.ts'])
  const named = {
    'core/index.ts': "export * from './a.ts'\n",
    'core/a.ts': "const late = () => import('deflector/formats/plain')\n",
    'plugins/formats/plain.ts': "import { a } from 'deflector'\n",
  }
  assert.equal(circles(planted(named), entries), [
    'core/index.ts -> core/a.ts -> plugins/formats/plain.ts -> core/index.ts',
  ])
})

test('the check of circles lets a file be imported twice', () => {
  const tree = {
    'core/a.ts': "import './b.ts'\nimport './c.ts'\n",
    'core/b.ts': "import './c.ts'\n",
    'core/c.ts': "import 'node:fs'\nimport 'zod'\n",
  }
  assert.equal(circles(planted(tree), entries), [])
})

test('the check of names finds a dialect and a vendor in core, but not in a comment', () => {
  const code = "/** As 'groq' does. */\nconst is = dialect === 'messages' // or 'native'\nconst vendor = `openai`\n"
  assert.equal(spelled(planted({ 'core/a.ts': code, 'plugins/layers/b.ts': code }), names()), [
    "core/a.ts spells 'messages'",
    "core/a.ts spells 'openai'",
  ])
})

test('the check of places finds an import of another plugin, of core, and of what only tests may use', () => {
  const layer = 'plugins/layers/cloud/chain.ts'
  const text = `import { a } from './deadline.ts'
import { b } from 'deflector'
import { c } from 'deflector/formats/messages'
import { d } from '../exact-cache/index.ts'
import type { E } from '../../../core/flow.ts'
import { f } from 'deflector/contracts/host'
import { g } from 'deflector/nowhere'
import { h } from '../../stores/memory.ts'
`
  assert.equal(breaches(planted({ [layer]: text }), 'plugins/layers', entries), [
    `${layer} imports ../exact-cache/index.ts`,
    `${layer} imports ../../../core/flow.ts`,
    `${layer} imports deflector/contracts/host`,
    `${layer} imports deflector/nowhere`,
    `${layer} imports ../../stores/memory.ts`,
  ])
  const surface = { 'surfaces/native.ts': "import { a } from './http/call.ts'\n" }
  assert.equal(breaches(planted(surface), 'surfaces', entries), ['surfaces/native.ts imports ./http/call.ts'])
  const core = { 'core/flow.ts': "import { a } from '../plugins/formats/native.ts'\nimport b from 'koa'\n" }
  assert.equal(breaches(planted(core), 'core', entries), [
    'core/flow.ts imports ../plugins/formats/native.ts',
    'core/flow.ts imports koa',
  ])
})

test.run()
