import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import type { Loader } from '../../../../core/pipeline/loader.ts'
import { LoadError } from '../../../../core/pipeline/loader.ts'
import { readPipeline } from '../../../../core/pipeline/read.ts'
import type { Pipeline } from '../../../../core/pipeline/types.ts'
import { defineLayer, defineStore, defineSurface, type Plugin } from '../../../../core/plugin.ts'
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
const door = defineSurface({ name: 'door', options: z.strictObject({}), apply: () => {} })
const plugins: Readonly<Record<string, Plugin>> = { shelf, reader, broken, door }

const loader: Loader = {
  async load(role, use) {
    const plugin = plugins[use]
    if (plugin?.role !== role) throw new LoadError('unknown_plugin', `there is no ${role} "${use}"`)
    return { plugin, preset: {}, origin: 'built-in', file: 'x' }
  },
  names: async () => Object.keys(plugins),
}

async function pipelineOf(layers: string, flow: string): Promise<Pipeline> {
  const text = `surfaces: { door: { flow: chat } }
flows: { chat: [${flow}] }
layers:
${layers}
stores:
  one: { use: shelf }
  two: { use: shelf }
`
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

test.run()
