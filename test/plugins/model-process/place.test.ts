import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { placeOf } from '../../../plugins/model-process/place.ts'

const cache = mkdtempSync(join(tmpdir(), 'deflector-hub-'))

test('takes a folder as parent and name', () => {
  const folder = join(cache, 'mine')
  mkdirSync(folder, { recursive: true })
  assert.equal(placeOf(folder, cache, 'onnx/model_quantized.onnx'), { model: 'mine', parent: cache, cacheDir: cache })
})

test('leaves a hub id to the library, unless another program has it already', () => {
  const id = 'Xenova/all-MiniLM-L6-v2'
  assert.equal(placeOf(id, cache, 'onnx/model_quantized.onnx'), { model: id, cacheDir: cache })
  const snapshots = join(cache, 'hub/models--Xenova--all-MiniLM-L6-v2/snapshots')
  mkdirSync(join(snapshots, 'aaa'), { recursive: true })
  assert.is(placeOf(id, cache, 'onnx/model_quantized.onnx').parent, undefined, 'one without weights is no copy')
  mkdirSync(join(snapshots, 'bbb/onnx'), { recursive: true })
  writeFileSync(join(snapshots, 'bbb/onnx/model_quantized.onnx'), '')
  assert.equal(placeOf(id, cache, 'onnx/model_quantized.onnx'), { model: 'bbb', parent: snapshots, cacheDir: cache })
})

test('refuses what is neither', () => {
  assert.throws(() => placeOf('/nowhere/at/all', cache, 'onnx/model_quantized.onnx'), /there is no folder/)
  assert.throws(() => placeOf('../outside/of/it', cache, 'onnx/model_quantized.onnx'), /there is no folder/)
})

test.run()
