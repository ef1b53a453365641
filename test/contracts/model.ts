import { Cancellation, type Embedder, type Model, type Plugin, type Writer } from 'deflector'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { testHost } from './host.ts'
import { checkDefinition, type PluginSample } from './plugin.ts'

/** Vectors are single precision, and a model may compute a batch in another order than one text. */
const NEAR = 1e-3

/** What every model promises (`Embedder`, `Writer` in `core/model.ts`), as a suite of tests that runs with the file. */
export function checkModel(plugin: Plugin, { options = {}, around }: PluginSample = {}): void {
  const tests = suite(`${plugin.name} as a model`)
  checkDefinition(tests, 'model', plugin, { options, ...(around && { around }) })

  const check = (title: string, run: (model: Model) => Promise<void>): void =>
    tests(title, async () => {
      const host = testHost('model', around?.() ?? {})
      const model = host.apply(plugin, options)
      try {
        await host.start()
        host.ready()
        await run(model)
      } finally {
        await host.dispose()
      }
    })
  const embedder = (title: string, run: (model: Embedder) => Promise<void>): void =>
    check(title, async model => ('embed' in model ? run(model) : undefined))
  const writer = (title: string, run: (model: Writer) => Promise<void>): void =>
    check(title, async model => ('write' in model ? run(model) : undefined))

  check('embeds or writes', async model => {
    assert.ok('embed' in model || 'write' in model, 'a model has embed or write')
  })

  embedder('gives a vector of unit length for each text, in order', async model => {
    const texts = ['What do herons eat?', 'Is the moon made of cheese?', 'Что едят цапли?']
    const vectors = await model.embed(texts)
    assert.is(vectors.length, texts.length)
    for (const [at, vector] of vectors.entries()) {
      assert.ok(vector instanceof Float32Array)
      assert.is(vector.length, model.dimensions)
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < NEAR, `vector ${at} has length ${Math.hypot(...vector)}`)
      const [alone] = await model.embed([texts[at] ?? ''])
      assert.ok(similarity(alone, vector) > 1 - NEAR, `text ${at} has one vector alone and another in a list`)
    }
  })

  embedder('bears no text, an empty text and a long one', async model => {
    assert.equal(await model.embed([]), [])
    for (const text of ['', ' ', '?!', 'heron '.repeat(5000)]) {
      const [vector] = await model.embed([text])
      assert.is(vector?.length, model.dimensions)
      assert.ok(vector?.every(Number.isFinite), `${text.slice(0, 10)} gave a vector that is none`)
    }
  })

  embedder('names its weights, where it can, once it was started', async model => {
    if (model.fingerprint !== undefined) assert.ok(model.fingerprint.length > 0)
  })

  embedder('ends a call that was given up before it began', async model => {
    const cancellation = new Cancellation()
    cancellation.cancel(new Error('everybody left'))
    // Work that was not begun can be dropped; a model that is quick need not.
    await model.embed(['hello'], cancellation).catch(() => {})
    assert.is((await model.embed(['hello'])).length, 1, 'the next call is answered')
  })

  writer('writes an answer', async model => {
    const text = await model.write({ user: 'Say yes.', maxTokens: 16 }, new AbortController().signal)
    assert.type(text, 'string')
    assert.ok(text.length > 0)
  })

  writer('refuses a call that was given up before it began', async model => {
    const given = model.write({ user: 'Say yes.', maxTokens: 16 }, AbortSignal.abort(new Error('left')))
    await given.then(
      () => assert.unreachable('the call should have failed'),
      () => {},
    )
  })

  tests.run()
}

/** The cosine of two vectors of unit length. */
const similarity = (a: Float32Array | undefined, b: Float32Array): number =>
  a?.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) ?? 0
