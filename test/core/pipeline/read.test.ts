// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the places of a pipeline file look like those of a template
import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { LoadError, type Loader } from '../../../core/pipeline/loader.ts'
import { readPipeline } from '../../../core/pipeline/read.ts'
import type { Pipeline, Problem, Settings } from '../../../core/pipeline/types.ts'
import { defineLayer, defineProvider, defineStore, defineSurface, type Plugin } from '../../../core/plugin.ts'
import type { Role } from '../../../core/role.ts'

const wires = { apply: () => {} }
const gate = defineLayer({ name: 'gate', options: z.strictObject({ key: z.string().optional() }), ...wires })
const lookup = defineLayer({
  name: 'lookup',
  asks: { store: 'store' },
  options: z.strictObject({
    store: z.string(),
    ttl_secs: z.number().int().positive().default(300),
    mode: z.enum(['exact', 'both']).default('both'),
    retry: z.strictObject({ max_attempts: z.number(), waits: z.array(z.number()) }).optional(),
  }),
  ...wires,
})
const door = defineSurface({
  name: 'door',
  options: z.strictObject({ port: z.number().optional(), namespace: z.string().optional() }),
  ...wires,
})
const desk = defineSurface({ name: 'desk', needsFlow: true, options: z.strictObject({}), ...wires })
const shelf = defineStore({
  name: 'shelf',
  options: z.strictObject({ max: z.number().default(10) }),
  apply: () => ({ get: async () => undefined, set: async () => {}, delete: async () => false }),
})
const vendor = defineProvider({
  name: 'vendor',
  options: z.strictObject({ url: z.string(), model: z.string().default('m') }),
  apply: () => ({ complete: () => Promise.reject(new Error('not here')) }),
})

const built: Partial<Record<Role, Record<string, { plugin: Plugin; preset?: Record<string, unknown> }>>> = {
  layer: { gate: { plugin: gate }, lookup: { plugin: lookup } },
  surface: { door: { plugin: door }, desk: { plugin: desk } },
  store: { shelf: { plugin: shelf } },
  provider: { vendor: { plugin: vendor }, acme: { plugin: vendor, preset: { url: 'http://acme', model: 'a1' } } },
}

const asked: string[] = []
const loader: Loader = {
  async load(role, use, fromDir) {
    asked.push(`${role} ${use} ${fromDir}`)
    if (use === './broken.ts') throw new LoadError('broken_plugin', 'broken.ts:1:7 unexpected token')
    const found = built[role]?.[use]
    if (!found) throw new LoadError('unknown_plugin', `there is no ${role} "${use}"`)
    return { plugin: found.plugin, preset: found.preset ?? {}, origin: 'built-in', file: 'x' }
  },
  async names(role) {
    return Object.keys(built[role] ?? {}).sort()
  },
}

const read = (text: string, settings: Settings = {}) =>
  readPipeline({ file: '/etc/deflector/p.yaml', text, settings, loader })

async function good(text: string, settings: Settings = {}): Promise<Pipeline> {
  const { pipeline, problems } = await read(text, settings)
  if (!pipeline) throw new Error(JSON.stringify(problems))
  return pipeline
}

/** `line:column code message` of each problem. */
async function said(text: string, settings: Settings = {}): Promise<string[]> {
  const { pipeline, problems } = await read(text, settings)
  const errors = problems.filter(({ severity }) => severity === 'error')
  assert.is(pipeline === undefined, errors.length > 0, 'a pipeline comes exactly when there is no error')
  return problems.map(({ line, column, code, message }: Problem) => `${line}:${column} ${code} ${message}`)
}

/** As it stands in a file; spelled so that no linter takes it for a mistake. */
const PLACE = ['$', '{word}'].join('')

const BASE = `surfaces:
  door: { flow: chat }
flows:
  chat: [gate]
`

test('a misspelt layer is reported with file, line, column and what was meant', async () => {
  const { pipeline, problems } = await read(`surfaces:
  door: { flow: chat }
flows:
  chat:
    - gate
    - lokup
`)
  assert.is(pipeline, undefined)
  assert.equal(problems, [
    {
      file: '/etc/deflector/p.yaml',
      line: 6,
      column: 7,
      severity: 'error',
      code: 'unknown_layer',
      message: 'there is no layer "lokup", neither declared nor built in; did you mean "lookup"?',
    },
  ])
})

test('a layer under a name of its own can be what was meant', async () => {
  const [line] = await said(`${BASE.replace('[gate]', '[gate, answres]')}layers: { answers: { use: gate } }\n`)
  assert.match(line ?? '', /^4:16 unknown_layer .*did you mean "answers"\?$/)
})

test('every section gives instances with loaded plugins and checked options', async () => {
  const pipeline = await good(`surfaces:
  door: { flow: chat, options: { namespace: a } }
  side: { flow: chat, use: door }
flows:
  chat: [gate, answers]
layers:
  answers: { use: lookup, options: { store: kept } }
stores:
  kept: { use: shelf }
providers:
  acme:
`)
  assert.equal(pipeline.flows.get('chat'), ['gate', 'answers'])
  assert.is(pipeline.instances.surface.get('side')?.plugin, door)
  assert.is(pipeline.instances.surface.get('side')?.flow, 'chat')
  assert.equal(pipeline.instances.layer.get('answers')?.options, { store: 'kept', ttl_secs: 300, mode: 'both' })
  assert.equal(pipeline.instances.layer.get('gate')?.options, {}, 'a layer that only a flow names has its defaults')
  assert.equal(pipeline.instances.store.get('kept')?.options, { max: 10 })
  assert.equal(pipeline.instances.provider.get('acme')?.options, { url: 'http://acme', model: 'a1' })
  assert.equal(pipeline.instances.layer.get('answers')?.at, { line: 7, column: 3 })
})

test('options of the file go on top of what an alias brings', async () => {
  const { instances } = await good('providers:\n  acme: { options: { model: other } }\n')
  assert.equal(instances.provider.get('acme')?.options, { url: 'http://acme', model: 'other' })
})

test('paths in use are relative to the pipeline file', async () => {
  asked.length = 0
  await read('layers: { mine: { use: ./broken.ts } }')
  assert.equal(asked, ['layer ./broken.ts /etc/deflector'])
})

test('a plugin that does not load is reported where use stands', async () => {
  const lines = await said(
    'layers:\n  mine: { use: ./broken.ts }\nflows: { chat: [mine] }\nsurfaces: { door: { flow: chat } }\n',
  )
  assert.equal(lines, ['2:16 broken_plugin broken.ts:1:7 unexpected token'])
})

test('a use that is nowhere has a suggestion', async () => {
  assert.match(
    (await said('providers:\n  main: { use: vendro }\n'))[0] ?? '',
    /^2:16 unknown_plugin .*did you mean "vendor"\?$/,
  )
})

test('a plugin in the section of another role is sent to its own', async () => {
  const lines = await said('providers:\n  main: { use: shelf }\n')
  assert.equal(lines, ['2:16 wrong_role "shelf" is a store, not a provider; declare it under "stores"'])
})

test('a setting that stands alone keeps its type, inside text it is written in', async () => {
  const settings = { ttl: 60, word: 'deep', 'nested.port': 8080 }
  const { instances } = await good(
    `surfaces:
  door: { flow: chat, options: { port: '\${nested.port}', namespace: 'ns-\${word}-\${ttl}' } }
flows: { chat: [lookup] }
layers:
  lookup: { options: { store: '\${word}', ttl_secs: '\${ttl}' } }
`,
    settings,
  )
  assert.equal(instances.surface.get('door')?.options, { port: 8080, namespace: 'ns-deep-60' })
  assert.equal(instances.layer.get('lookup')?.options, { store: 'deep', ttl_secs: 60, mode: 'both' })
})

test('a setting without a value leaves the option to its default', async () => {
  const { instances } = await good(`${BASE}layers: { gate: { options: { key: '\${key}' } } }`, { key: undefined })
  assert.equal(instances.layer.get('gate')?.options, {})
})

test('$${ is a literal place, and what a setting holds is never filled in', async () => {
  const { instances } = await good(`${BASE}layers: { gate: { options: { key: '$\${word} \${tricky}' } } }`, {
    word: 'x',
    tricky: PLACE,
  })
  assert.equal(instances.layer.get('gate')?.options, { key: `${PLACE} ${PLACE}` })
})

test('comments and keys are left alone', async () => {
  const { pipeline, problems } = await read(`# \${nothing}\n${BASE}`)
  assert.ok(pipeline)
  assert.equal(problems, [])
})

test('use and flow may come from a setting', async () => {
  const { instances } = await good(
    `surfaces: { door: { flow: '\${f}' } }\nflows: { chat: '\${list}' }\nstores: { kept: { use: '\${kind}' } }\n`,
    { f: 'chat', list: ['gate'], kind: 'shelf' },
  )
  assert.is(instances.surface.get('door')?.flow, 'chat')
  assert.is(instances.store.get('kept')?.plugin, shelf)
})

test('an unknown setting is one error with a suggestion, at the scalar', async () => {
  const lines = await said(`${BASE}layers:\n  gate: { options: { key: '\${gatewy_key}' } }\n`, { gateway_key: 'k' })
  assert.equal(lines, ['6:27 unknown_setting there is no setting "gatewy_key"; did you mean "gateway_key"?'])
})

test('... adds the instances of a setting, and explicit ones win', async () => {
  const entries = { acme: { use: 'vendor', options: { url: 'http://from-settings' } }, two: { use: 'acme' } }
  const { instances } = await good(`providers:\n  ...: '\${entries}'\n  acme: { options: { model: mine } }\n`, {
    entries,
  })
  assert.equal([...instances.provider.keys()].sort(), ['acme', 'two'])
  assert.equal(instances.provider.get('acme')?.options, { url: 'http://acme', model: 'mine' })
})

test('... with something else than instances is refused where it stands', async () => {
  assert.equal(await said(`providers:\n  ...: '\${n}'\n`, { n: 3 }), ['2:8 wrong_shape "..." must be a mapping'])
  const lines = await said(`providers:\n  ...: '\${n}'\n`, { n: { acme: { user: 1 } } })
  assert.equal(lines, ['2:8 wrong_shape the entry "acme" of this setting is not {use, options}'])
})

test('a wrong option is reported where it is written, however deep', async () => {
  const lines = await said(`surfaces: { door: { flow: chat } }
flows: { chat: [lookup] }
layers:
  lookup:
    options:
      store: kept
      ttl_secs: soon
      mode: exat
      retry:
        max_attempts: 3
        waits: [1, two]
        maxx: 1
`)
  assert.is(lines[0], '7:17 bad_option layer "lookup": option "ttl_secs" must be a number')
  assert.match(lines[1] ?? '', /^8:13 bad_option .*did you mean "exact"\?$/)
  assert.is(lines[2], '11:20 bad_option layer "lookup": option "retry.waits[1]" must be a number')
  assert.match(
    lines[3] ?? '',
    /^12:9 unknown_key layer "lookup" has no option "retry.maxx"; did you mean|12:9 unknown_key .*it has max_attempts, waits$/,
  )
  assert.is(lines.length, 4)
})

test('a single value in place of a list is told how a list is written', async () => {
  const lines = await said(`surfaces: { door: { flow: chat } }
flows: { chat: [lookup] }
layers:
  lookup: { options: { store: kept, retry: { max_attempts: 3, waits: secret } } }
`)
  const what = 'must be a list, such as [one, two]; write [...] around a single value'
  assert.equal(lines, [`4:70 bad_option layer "lookup": option "retry.waits" ${what}`])
})

test('a value out of a setting is blamed on the place where the setting was set', async () => {
  const settings = {
    n: { acme: { use: 'vendor', options: { model: 5 } }, b: { use: 'vendr' } },
    ttl: 'soon',
    use: 'shelv',
  }
  const asked: string[] = []
  const yaml = `surfaces: { door: { flow: chat } }
flows: { chat: [lookup] }
layers:
  lookup: { options: { store: kept, ttl_secs: '\${ttl}' } }
providers:
  ...: '\${n}'
stores:
  kept: { use: '\${use}' }
`
  const { problems } = await readPipeline({
    file: 'p.yaml',
    text: yaml,
    settings,
    loader,
    sourceOf(setting, path) {
      asked.push([setting, ...path].join(' '))
      if (setting === 'n' && path.at(-1) === 'url') return undefined
      return { setting: `the ${setting}`, clause: `${setting} comes from service.toml:3` }
    },
  })
  const ends = problems.map(({ code, message }) => `${code} ${message.replace(/.*?(?=; did|\(|is missing|must)/, '')}`)
  assert.equal(ends, [
    'bad_option must be a number (ttl comes from service.toml:3)',
    'bad_option is missing',
    'bad_option must be text (n comes from service.toml:3)',
    'unknown_plugin ; did you mean "vendor"? (n comes from service.toml:3)',
    'unknown_plugin ; did you mean "shelf"? (use comes from service.toml:3)',
  ])
  assert.equal(
    problems.map(({ of, message }) => of && [of.setting, message.replace(of.message, '')]),
    [
      ['the ttl', ' (ttl comes from service.toml:3)'],
      undefined,
      ['the n', ' (n comes from service.toml:3)'],
      ['the n', ' (n comes from service.toml:3)'],
      ['the use', ' (use comes from service.toml:3)'],
    ],
  )
  assert.equal(asked.sort(), ['n acme options model', 'n acme options url', 'n b use', 'ttl', 'use'])
})

test('a plugin without apply, or with a misspelt one, is refused by what it lacks', () => {
  const options = z.strictObject({})
  const define = (given: object) => () => Reflect.apply(defineLayer, undefined, [given])
  assert.throws(
    define({ name: 'mine', options, aply: () => {} }),
    'the layer "mine" has no "apply"; rename "aply" to it',
  )
  const bare = 'the layer "mine" has no "apply"; give its definition the function "apply"'
  assert.throws(define({ name: 'mine', options }), bare)
  assert.throws(define({ name: 'mine', option: options, apply() {} }), 'has no "options"; rename "option" to it')
})

test('a missing option is reported at the options', async () => {
  const lines = await said(`surfaces: { door: { flow: chat } }
flows: { chat: [lookup] }
layers:
  lookup:
    options: { ttl_secs: 5 }
`)
  assert.equal(lines, ['5:14 bad_option layer "lookup": option "store" is missing'])
})

test('unknown keys are errors with a suggestion, and x- keys are the reader’s own', async () => {
  const lines = await said(`x-mine: 1\nsurface: {}\nlayers:\n  gate: { otpions: {} }\n`)
  assert.equal(
    lines.filter(line => line.includes('unknown_key')),
    [
      '2:1 unknown_key a pipeline file has no section "surface"; did you mean "surfaces"?',
      '4:11 unknown_key layer "gate" has no key "otpions"; did you mean "options"?',
    ],
  )
})

test('only surfaces feed a flow', async () => {
  const lines = await said(`${BASE}layers: { gate: { flow: chat } }`)
  assert.match(lines[0] ?? '', /^5:19 unknown_key layer "gate" has no key "flow"; only surfaces feed a flow$/)
})

test('a flow that is not there is an error, one that nobody feeds a warning', async () => {
  const lines = await said(`surfaces:\n  door: { flow: caht }\nflows:\n  chat: [gate]\n`)
  assert.equal(lines, [
    '2:17 unknown_flow surface "door" feeds flow "caht", which is not under "flows"; did you mean "chat"?',
    '4:3 unused_flow no surface feeds flow "chat"',
  ])
})

test('a surface that answers by a flow has to name one', async () => {
  const lines = await said(`surfaces:\n  door: { flow: chat }\n  desk:\nflows:\n  chat: [gate]\n`)
  assert.equal(lines, ['3:3 missing_flow surface "desk" answers by a flow: add "flow:" with a name from "flows"'])
})

test('a layer that no flow lists is a warning, and the pipeline still stands', async () => {
  const { pipeline, problems } = await read(`${BASE}layers:\n  lookup: { options: { store: s } }\n`)
  assert.ok(pipeline)
  assert.equal(
    problems.map(({ code, severity, line }) => [code, severity, line]),
    [['unused_instance', 'warning', 6]],
  )
})

test('a layer may stand in a flow only once', async () => {
  const lines = await said(BASE.replace('[gate]', '[gate, gate]'))
  assert.equal(lines, ['4:16 duplicate_layer flow "chat" lists layer "gate" twice'])
})

test('two surfaces on one port are an error, and port 0 never clashes', async () => {
  const two = (port: number) => `surfaces:
  door: { options: { port: ${port} } }
  side: { use: door, options: { port: ${port} } }
`
  assert.equal(await said(two(8080)), ['3:3 duplicate_port surfaces "door" and "side" both listen on port 8080'])
  assert.equal(await said(two(0)), [])
})

test('bad YAML and duplicate keys are reported at their place', async () => {
  assert.match((await said('surfaces: [1, 2\n'))[0] ?? '', /^2:1 bad_yaml /)
  assert.match((await said('stores:\n  shelf:\n  shelf:\n'))[0] ?? '', /^3:3 duplicate_key /)
  assert.match((await said(''))[0] ?? '', /^1:1 bad_yaml /)
  assert.match((await said('- a\n'))[0] ?? '', /^1:1 bad_yaml /)
  assert.match((await said('surfaces: 3\n'))[0] ?? '', /^1:11 wrong_shape "surfaces" must be a mapping$/)
})

test('an anchor within itself is refused instead of read for ever', async () => {
  assert.match(
    (await said(`${BASE}layers: { gate: { options: &a { key: *a } } }`))[0] ?? '',
    /bad_yaml this nests too deeply/,
  )
})

test('an anchor under an x- key may stand for options', async () => {
  const { instances } = await good(`x-key: &k { key: secret }\n${BASE}layers: { gate: { options: *k } }`)
  assert.equal(instances.layer.get('gate')?.options, { key: 'secret' })
})

test('no message tells what a setting holds', async () => {
  const lines = await said(`${BASE}layers: { gate: { options: { key: '\${key}' } } }`, {
    key: { hidden: 'sk-hidden-1' },
  })
  assert.is(lines.length, 1)
  assert.not.match(lines[0] ?? '', /sk-hidden/)
})

test('names that could not stand in a header are refused', async () => {
  assert.match((await said('stores:\n  "a b": { use: shelf }\n'))[0] ?? '', /^2:3 bad_name /)
})

test('all problems of a file are told at once, in file order', async () => {
  const lines = await said(
    readFileSync(new URL('../../fixtures/pipelines/many-mistakes.yaml', import.meta.url), 'utf8'),
  )
  assert.equal(
    lines.map(line => line.split(' ')[1]),
    [
      'unknown_key',
      'unknown_flow',
      'unknown_layer',
      'duplicate_layer',
      'unknown_setting',
      'unknown_plugin',
      'unknown_key',
    ],
  )
})

test('an alias to nothing is refused where it stands', async () => {
  assert.equal(await said(`${BASE}layers: { gate: { options: *nowhere } }\n`), [
    '5:28 bad_yaml no anchor "&nowhere" stands before "*nowhere"',
  ])
  assert.equal(await said(`x-k: &gate { key: k }\n${BASE}layers: { gate: { options: *gaet } }\n`), [
    '6:28 bad_yaml no anchor "&gaet" stands before "*gaet"; did you mean "gate"?',
  ])
  assert.equal(await said(`${BASE}layers: { gate: { options: *late } }\nx-k: &late { key: k }\n`), [
    '5:28 bad_yaml no anchor "&late" stands before "*late"; "&late" comes after it: move it up',
  ])
})

test('merge keys are refused with what to write instead', async () => {
  const lines = await said(`x-k: &k { key: k }\n${BASE}layers:\n  gate: { options: { <<: *k } }\n`)
  assert.equal(lines, [
    '7:22 bad_yaml merge keys ("<<") are not supported; write the keys out, or let an alias stand for the whole value (options: *name)',
  ])
})

test('a variable of the environment is filled in as text', async () => {
  const { instances } = await good(`${BASE}layers: { gate: { options: { key: 'k-\${env:ACME_KEY}' } } }`, {
    'env:ACME_KEY': '42',
  })
  assert.equal(instances.layer.get('gate')?.options, { key: 'k-42' })
})

test('a variable that is not there is an error at its place, which tells no value', async () => {
  const file = `${BASE}layers:\n  gate: { options: { key: '\${env:ACME_KYE}' } }\n`
  assert.equal(await said(file, { 'env:ACME_KEY': 'sk-hidden' }), [
    '6:27 unknown_variable the environment has no variable "ACME_KYE", or it is empty; did you mean "ACME_KEY"?',
  ])
  assert.equal(await said(file), [
    '6:27 unknown_variable the environment has no variable "ACME_KYE", or it is empty; set it before the start',
  ])
})

test('a variable that is written like a setting is led to its own form', async () => {
  const file = `${BASE}layers:\n  gate: { options: { key: '\${ACME_KEY}' } }\n`
  const led =
    '6:27 unknown_setting there is no setting "ACME_KEY"; "${...}" reads settings: write "${env:ACME_KEY}" for the environment variable'
  assert.equal(await said(file, { 'env:ACME_KEY': 'x' }), [led])
  assert.equal(await said(file), [led])
  assert.match((await said(file, { acme_key: 'x' }))[0] ?? '', /did you mean "acme_key"\?$/)
})

test('a provider, a store or a surface in a flow is led to where it belongs', async () => {
  const listing = (name: string) => `${BASE.replace('[gate]', `[gate, ${name}]`)}providers: { main: { use: acme } }\n`
  assert.equal(await said(listing('main')), [
    '4:16 wrong_role flows list layers, and "main" is a provider: name it in an option of a layer',
  ])
  assert.equal(await said(listing('shelf')), [
    '4:16 wrong_role flows list layers, and "shelf" is a store: declare it under "stores", and name it in an option of a layer: "store" of layer "lookup"',
  ])
  assert.equal(await said(listing('door')), [
    '4:16 wrong_role flows list layers, and "door" is a surface: it feeds a flow by a "flow:" of its own',
  ])
})

test.run()
