import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { logitOf, type openWeights } from '../../../../plugins/models/pair/runtime.ts'
import { tempFolder } from '../../../support/opened.ts'

const json = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../../${name}`, import.meta.url), 'utf8'))

const optional = z.object({ optionalDependencies: z.record(z.string(), z.string()).default({}) })
const own = optional.parse(json('package.json')).optionalDependencies['onnxruntime-node']

test('takes the logit from what the model gives, and refuses a model that gives none', () => {
  assert.is(logitOf({ logit: { data: [-2.5] } }), -2.5)
  for (const outputs of [{}, { logits: { data: [1] } }, { logit: { data: [] } }, { logit: { data: [Number.NaN] } }])
    assert.throws(() => logitOf(outputs), /no finite "logit"/)
  assert.throws(() => logitOf({ logit: { data: [Number.POSITIVE_INFINITY] } }), /Infinity/)
})

test('the runtime is a dependency of its own, in the version that the library of sentence models asks for', () => {
  const { packages } = z.object({ packages: z.record(z.string(), optional) }).parse(json('package-lock.json'))
  assert.match(own ?? '', /^\d+\.\d+\.\d+$/)
  assert.is(packages['node_modules/@xenova/transformers']?.optionalDependencies['onnxruntime-node'], own)
  const copies = Object.keys(packages).filter(name => name.endsWith('/onnxruntime-node'))
  assert.equal(copies, ['node_modules/onnxruntime-node'])
})

test('without the runtime the remedy is the version that the package asks for', async () => {
  const folder = tempFolder()
  const alone = join(folder, 'runtime.ts')
  copyFileSync(new URL('../../../../plugins/models/pair/runtime.ts', import.meta.url), alone)
  const loaded: { openWeights: typeof openWeights } = await import(pathToFileURL(alone).href)
  const failed = await loaded.openWeights('none').catch(error => String(error))
  assert.ok(String(failed).includes(`Run "npm install onnxruntime-node@${own}"`), String(failed))
})

test.run()
