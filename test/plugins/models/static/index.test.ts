import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cancellation, type Embedder } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import staticModel from '../../../../plugins/models/static/index.ts'
import { testHost } from '../../../contracts/host.ts'
import { staticFolder } from '../../../support/static-folder.ts'

const TOKENS = ['one', 'two', 'three']

function embedder(options: object = {}): { model: Embedder; start: () => Promise<void> } {
  const host = testHost('model')
  const model = host.apply(staticModel, options)
  assert.ok('embed' in model)
  return { model: model as Embedder, start: () => host.start() }
}

async function started(options: object = {}): Promise<Embedder> {
  const { model, start } = embedder(options)
  await start()
  return model
}

/** What fails says where, and what would help. */
async function refusal(folder: string): Promise<string> {
  try {
    await started({ model: folder })
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  throw new Error('it started')
}

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number => {
  assert.ok(a && b)
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
}

test('gives the mean of the rows of all tokens, at unit length', async () => {
  const model = await started({ model: staticFolder(TOKENS) })
  const [vector] = await model.embed(['one two'])
  // [CLS] 2, one 5, two 6, [SEP] 3: each row is its own number, and 100 in its own column.
  const sum = new Float32Array(384).fill(16)
  for (const own of [2, 5, 6, 3]) sum[own] = 116 - own
  const length = Math.hypot(...sum)
  for (const [i, value] of sum.entries()) assert.ok(Math.abs((vector?.[i] ?? 0) - value / length) < 1e-6)
})

test('gives one vector for each text, in order, each its own', async () => {
  const model = await started({ model: staticFolder(TOKENS) })
  const [a, b, c] = await model.embed(['one', 'two', 'one'])
  assert.ok(cosine(a, c) > 0.999999)
  assert.ok(cosine(a, b) < 0.99)
  a?.fill(0)
  assert.ok(cosine(c, c) > 0.999999)
  assert.equal(await model.embed([]), [])
})

test('keeps one loaded model over a reload', async () => {
  const folder = staticFolder(TOKENS)
  const old = testHost('model')
  old.apply(staticModel, { model: folder })
  await old.start()
  rmSync(folder, { recursive: true })
  const next = testHost('model', { kept: old.kept })
  const model = next.apply(staticModel, { model: folder }) as Embedder
  await next.start()
  assert.is((await model.embed(['one'])).length, 1)
})

test('where no thread can be started, the event loop turns between texts', async () => {
  const folder = staticFolder(TOKENS)
  const model = await started({ model: folder })
  rmSync(folder, { recursive: true })
  await model.embed(['one'])
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const text = 'three '.repeat(11_000)
  const ends = await Promise.all(Array.from({ length: 200 }, () => model.embed([text]).then(() => turns)))
  clearImmediate(timer)
  const most = Math.max(...ends.map(end => ends.filter(other => other === end).length))
  assert.ok(most < 50, `${most} of 200 texts in one turn`)
})

test('a cancelled text is not embedded, with a thread or without', async () => {
  const folder = staticFolder(TOKENS)
  const model = await started({ model: folder })
  const cancellation = new Cancellation()
  cancellation.cancel(new Error('the client has left'))
  const outcome = () => model.embed(['one'], cancellation).catch(String)
  assert.match(String(await outcome()), /has left/)
  rmSync(folder, { recursive: true })
  await model.embed(['one'])
  assert.match(String(await outcome()), /has left/)
})

test('tells equal files from different ones by the fingerprint', async () => {
  const [a, b, c] = await Promise.all(
    [TOKENS, TOKENS, ['four']].map(tokens => started({ model: staticFolder(tokens) })),
  )
  assert.is(a?.fingerprint, b?.fingerprint)
  assert.is.not(a?.fingerprint, c?.fingerprint)
})

test('refuses to start without its files and says what to do', async () => {
  const remedy = /Reinstall deflector, set embedding_model to "static" .* or set cache_mode to "exact"/
  const gone = await refusal('/nowhere/at/all')
  assert.match(gone, /there is no folder \/nowhere\/at\/all/)
  assert.match(gone, remedy)
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx']) {
    const folder = staticFolder(TOKENS)
    rmSync(join(folder, file))
    const said = await refusal(folder)
    assert.ok(said.includes(`${join(folder, file)}: is missing`), said)
    assert.match(said, remedy)
  }
})

test('refuses a damaged table, a foreign tokenizer and another number of dimensions', async () => {
  const cut = staticFolder(TOKENS)
  truncateSync(join(cut, 'onnx/model_quantized.onnx'), 1000)
  assert.match(await refusal(cut), /cut short/)

  const foreign = staticFolder(TOKENS)
  writeFileSync(join(foreign, 'tokenizer.json'), '{"model":{"type":"BPE"}}')
  assert.match(await refusal(foreign), /tokenizer\.json: .*WordPiece/)

  assert.match(await refusal(staticFolder(TOKENS, 256)), /has 256 dimensions, not 384/)
})

test('without a folder it is the built-in model, which tells likeness', async () => {
  const a = await started()
  const [one, same, other] = await a.embed([
    'How do I reset my password?',
    'how can i reset my password',
    'Name the largest planet.',
  ])
  assert.ok(cosine(one, same) > 0.85)
  assert.ok(cosine(one, other) < 0.85)
})

test.run()
