import { cacheControls } from 'deflector/facets/cache-controls'
import { listener } from 'deflector/facets/listener'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import type { Loader } from '../../../../core/pipeline/loader.ts'
import { LoadError } from '../../../../core/pipeline/loader.ts'
import { readPipeline } from '../../../../core/pipeline/read.ts'
import type { Pipeline } from '../../../../core/pipeline/types.ts'
import { defineLayer, defineProvider, defineStore, defineSurface, type Plugin } from '../../../../core/plugin.ts'
import { dryBuild } from '../../../../surfaces/cli/pipeline/dry-build.ts'

let started = 0
const shelf = defineStore({
  name: 'shelf',
  options: z.strictObject({}),
  apply(host) {
    host.onStart(() => {
      started += 1
    })
    return { get: async () => undefined, set: async () => {}, delete: async () => false }
  },
})
const reader = defineLayer({
  name: 'reader',
  options: z.strictObject({ stores: z.array(z.string()) }),
  apply: ({ store }, { stores }) => {
    for (const name of stores) store(name)
  },
})
const broken = defineLayer({
  name: 'broken',
  options: z.strictObject({}),
  apply: () => {
    throw new Error('cannot think')
  },
})
const door = defineSurface({
  name: 'door',
  options: z.strictObject({ serves: z.array(z.string()).optional() }),
  apply({ offer, routes }, { serves }) {
    routes(serves)
    offer(listener, () => undefined)
  },
})
const page = defineSurface({
  name: 'page',
  options: z.strictObject({}),
  apply: ({ name, route }) => route('GET', `/${name}`, () => {}),
})
const talk = defineSurface({ name: 'talk', operations: ['chat'], options: z.strictObject({}), apply: () => {} })
const embed = defineSurface({ name: 'embed', operations: ['embeddings'], options: z.strictObject({}), apply: () => {} })
const miss = async (): Promise<undefined> => undefined
const vendors = defineLayer({
  name: 'vendors',
  operations: ['*'],
  options: z.strictObject({ chain: z.array(z.string()) }),
  apply({ name, hooks, provider }, { chain }) {
    for (const one of chain) provider(one)
    hooks.answer.tapPromise(name, miss)
  },
})
const cache = defineLayer({
  name: 'cache',
  options: z.strictObject({}),
  apply({ name, hooks, offer }) {
    hooks.answer.tapPromise(name, miss)
    offer(cacheControls, { stats: () => ({}), clear: async () => {}, forget: async () => false })
  },
})
/** Asks for a provider and answers nothing, as a layer does that reads a provider's model. */
const names = defineLayer({
  name: 'names',
  options: z.strictObject({ chain: z.array(z.string()) }),
  apply({ name, hooks, provider }, { chain }) {
    for (const one of chain) provider(one)
    hooks.receive.tapPromise(name, async () => {})
  },
})
const vendor = defineProvider({
  name: 'vendor',
  options: z.strictObject({ operations: z.array(z.string()).optional() }),
  apply: (_, { operations }) => ({
    complete: () => Promise.reject(new Error('not here')),
    ...(operations && { operations }),
  }),
})
const plugins: Readonly<Record<string, Plugin>> = {
  shelf,
  reader,
  broken,
  door,
  page,
  talk,
  embed,
  vendors,
  cache,
  names,
  vendor,
}

const loader: Loader = {
  async load(role, use) {
    const plugin = plugins[use]
    if (plugin?.role !== role) throw new LoadError('unknown_plugin', `there is no ${role} "${use}"`)
    return { plugin, preset: {}, origin: 'built-in', file: 'x' }
  },
  names: async () => Object.keys(plugins),
}

async function pipelineOf(layers: string, flow: string): Promise<Pipeline> {
  return read(`surfaces: { door: { flow: chat } }
flows: { chat: [${flow}] }
layers:
${layers}
stores:
  one: { use: shelf }
  two: { use: shelf }
`)
}

async function read(text: string): Promise<Pipeline> {
  const { pipeline, problems } = await readPipeline({ file: '/p.yaml', text, settings: {}, loader })
  if (!pipeline) throw new Error(JSON.stringify(problems))
  return pipeline
}

test('a store that nobody asks for is a warning at its place, and nothing is started', async () => {
  const { problems, asks } = await dryBuild(await pipelineOf('  reader: { options: { stores: [one] } }', 'reader'))
  assert.equal(problems, [
    {
      line: 7,
      column: 3,
      file: '/p.yaml',
      severity: 'warning',
      code: 'unused_instance',
      message: 'nothing asks for store "two"',
    },
  ])
  assert.equal(
    asks.map(({ by, role, name }) => `${by.role} ${by.name} asks for ${role} ${name}`),
    ['layer reader asks for store one'],
  )
  assert.is(started, 0)
})

test('every instance that asks for what is not there is told, not only the first', async () => {
  const layers = `  a: { use: reader, options: { stores: [three] } }
  b: { use: reader, options: { stores: [one, four] } }`
  const { problems, missing } = await dryBuild(await pipelineOf(layers, 'a, b'))
  assert.equal(
    problems.map(({ code, line, severity }) => [code, line, severity]),
    [
      ['unknown_store', 4, 'error'],
      ['unknown_store', 5, 'error'],
    ],
  )
  assert.equal(
    missing.map(({ ask }) => ask.name),
    ['three', 'four'],
  )
})

test('a plugin that cannot be wired is named with its place', async () => {
  const { problems } = await dryBuild(await pipelineOf('  mine: { use: broken }', 'mine'))
  assert.equal(problems, [
    {
      line: 4,
      column: 3,
      file: '/p.yaml',
      severity: 'error',
      code: 'broken_plugin',
      message: 'layer "mine" cannot be wired: cannot think',
    },
  ])
})

/** `line code message` of each finding. */
async function found(text: string): Promise<string[]> {
  const { problems } = await dryBuild(await read(text))
  return problems.map(({ line, severity, code, message }) => `${line} ${severity} ${code}: ${message}`)
}

test('a pipeline in which no surface listens is a warning, as `up` refuses it', async () => {
  assert.equal(await found('surfaces:\n  page:\n'), [
    '1 warning no_listener: no surface listens, and `deflector up` refuses such a file; add one under "surfaces", such as http',
  ])
  assert.equal(await found('surfaces:\n  page:\n  door:\n'), [])
})

test('a surface whose routes no listener serves is a warning at its place', async () => {
  const text = 'surfaces:\n  door: { options: { serves: [one] } }\n  one: { use: page }\n  two: { use: page }\n'
  assert.equal(await found(text), [
    '4 warning unserved_surface: no listener serves surface "two"; add it to the option "serves" of one',
  ])
  assert.equal(await found(`${text}  more: { use: door, options: { serves: [two] } }\n`), [])
  assert.equal(await found(text.replace('[one]', '[one, two]')), [])
})

const FLOW = (chat: string): string => `surfaces:
  door:
  talk: { flow: chat }
flows: { chat: [${chat}] }
layers:
  cache:
  vendors: { options: { chain: [main] } }
  names: { options: { chain: [main] } }
providers:
  main: { use: vendor }
`

test('a cache behind the layer that asks vendors is a warning', async () => {
  assert.equal(await found(FLOW('names, vendors, cache')), [
    '6 warning late_cache: layer "cache" keeps answers, and in flow "chat" it comes after "vendors", which asks vendors: list it first',
  ])
})

test('a cache behind a layer that only reads the model of a provider is in its place', async () => {
  assert.equal(await found(FLOW('names, cache, vendors')), [])
})

const EMBED = (flow: string, operations: string): string => `surfaces:
  door:
  embed: { flow: way }
flows: { way: [${flow}] }
layers:
  cache:
  names: { options: { chain: [main] } }
  vendors: { options: { chain: [main, backup] } }
providers:
  main: { use: vendor }
  backup: { use: vendor, options: { operations: [${operations}] } }
`

test('an operation that no provider of the flow serves is an error', async () => {
  assert.equal(await found(EMBED('names, cache, vendors', 'count_tokens, chat')), [
    '3 error unsupported_operation: surface "embed" takes "embeddings", and in flow "way" no provider serves that: there are main (chat), backup (count_tokens, chat); add one that does',
  ])
  assert.equal(await found(EMBED('names, cache, vendors', 'embeddings')), [])
})

test('an operation that no layer of the flow answers is an error', async () => {
  const [first] = await found(EMBED('names, cache', 'embeddings'))
  const why = 'surface "embed" takes "embeddings", and in flow "way" no layer answers that: list one that does'
  assert.is(first, `3 error unsupported_operation: ${why}`)
})

test('a chat surface needs no provider where a cache answers', async () => {
  const text = FLOW('cache').replace(/ {2}vendors.*\n {2}names.*\nproviders:\n.*\n/, '')
  assert.equal(await found(text), [])
})

test.run()
