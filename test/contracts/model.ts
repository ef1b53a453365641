import {
  Cancellation,
  type Embedder,
  type Judge,
  type Model,
  type Plugin,
  type Portable,
  type Verdicts,
  type Writer,
  type WritingTask,
} from 'deflector'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { testHost } from './host.ts'
import { checkDefinition, type PluginSample } from './plugin.ts'

/** Vectors are single precision, and a model may compute a batch in another order than one text. */
const NEAR = 1e-3

/** What every model promises (`Embedder`, `Judge`, `Writer` in `core/model.ts`), as a suite of tests that runs with the file. */
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

  const judge = (title: string, run: (model: Judge) => Promise<void>): void =>
    check(title, async model => ('agree' in model ? run(model) : undefined))
  const verdicts = (title: string, run: (verdicts: Verdicts) => Promise<void>): void =>
    judge(title, async ({ portable }) => run(await opened<Verdicts>(portable)))

  check('embeds, judges or writes', async model => {
    assert.ok('embed' in model || 'agree' in model || 'write' in model, 'a model has embed, agree or write')
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

  embedder('is the same in another process, where it is portable', async model => {
    if (!model.portable) return
    const other = await opened<Pick<Embedder, 'embed'>>(model.portable)
    const text = 'What do herons eat?'
    const [[here], [there]] = await Promise.all([model.embed([text]), other.embed([text])])
    assert.ok(there && similarity(here, there) > 1 - NEAR)
  })

  judge('can be made by another process', async ({ portable: { module, options } }) => {
    assert.is(new URL(module).protocol, 'file:')
    assert.equal(JSON.parse(JSON.stringify(options)), options)
  })

  verdicts('gives one verdict for each stored prompt, in order, that depends on its pair alone', async ({ judge }) => {
    for (const asked of PROMPTS) {
      const found = await judge(asked, PROMPTS)
      assert.is(found.length, PROMPTS.length)
      for (const [at, text] of PROMPTS.entries()) {
        const { probability = -1, reason } = found[at] ?? {}
        assert.ok(probability >= 0 && probability <= 1, `a probability of ${probability}`)
        if (reason) assert.is(probability, 0, 'what a rule refuses is no hit')
        assert.equal(await judge(asked, [text]), [found[at]], `"${text}" is judged in another way alone`)
        assert.equal(await judge(text, [asked]), [found[at]], `"${text}" is judged in another way when asked`)
      }
      assert.equal(await judge(asked, []), [])
    }
  })

  judge('reads any text, in the same way each time', async model => {
    for (const text of [...PROMPTS, '', ' ', '?!', '\ud800', 'heron '.repeat(5000)]) {
      const reading = model.read(text)
      assert.type(reading.canonical, 'string')
      assert.type(reading.comparable, 'boolean')
      assert.equal(model.read(text), reading)
    }
    assert.is.not(model.read('What do herons eat?').canonical, model.read('What do storks eat?').canonical)
  })

  judge('asks for more the more entries there are, and the fewer mistakes may be', async model => {
    const bars = [0, 10, 1000, 100_000].map(entries => model.bar(entries, 0.003))
    assert.equal([...bars].sort(), bars)
    for (const entries of [1, 1000, 100_000])
      assert.ok(model.bar(entries, 0.001) >= model.bar(entries, 0.01), `${entries} entries`)
  })

  judge('knows that an answer agrees with itself, and not with another one', async model => {
    assert.ok(model.agree('Fish and frogs.', 'Fish and frogs.'))
    assert.not.ok(model.agree('Herons eat fish and frogs.', 'The moon is made of rock.'))
  })

  writer('names its model once it was started', async ({ model, url }) => {
    assert.ok(model.length > 0)
    if (url === undefined) return
    const { username, password, search } = new URL(url)
    assert.equal([username, password, search], ['', '', ''], 'an address that spans may name')
  })

  writer('goes on with a conversation', async model => {
    for (const task of TASKS) {
      const { text, finish, usage } = await model.write(task)
      assert.type(text, 'string')
      assert.ok(finish === 'stop' || finish === 'length', finish)
      if (usage) assert.ok(usage.input >= 0 && usage.output >= 0)
    }
  })

  writer('writes no more than it is asked for', async model => {
    const { text, usage } = await model.write({ turns: [{ role: 'user', text: 'Count to a hundred.' }], maxTokens: 2 })
    assert.ok(text.length < 200, `${text.length} characters of two tokens`)
    if (usage) assert.ok(usage.output <= 2, `${usage.output} tokens`)
  })

  writer('gives up a call that was cancelled before it began', async model => {
    const cancellation = new Cancellation()
    const left = new Error('everybody left')
    cancellation.cancel(left)
    const [task] = TASKS
    await model.write(task, cancellation).then(
      () => assert.unreachable('the call should have failed'),
      error => assert.is(error, left),
    )
    assert.type((await model.write(task)).text, 'string', 'the next call is answered')
  })

  tests.run()
}

const PROMPTS = [
  'How do I cancel my gym membership?',
  'what is the way to cancel a gym membership',
  'How do I renew my gym membership?',
  'Wie kündige ich meine Mitgliedschaft?',
  '',
] as const

const TASKS: readonly [WritingTask, ...WritingTask[]] = [
  { turns: [{ role: 'user', text: 'Say yes.' }], maxTokens: 16 },
  {
    system: 'You answer in one word.',
    turns: [
      { role: 'user', text: 'What do herons eat?' },
      { role: 'assistant', text: 'Fish.' },
      { role: 'user', text: '' },
    ],
    maxTokens: 16,
    temperature: 0,
  },
  { turns: [{ role: 'user', text: 'Name a heron as JSON.' }], maxTokens: 16, json: true },
]

/** As another process would make it, if in this one. */
async function opened<T>({ module, options }: Portable): Promise<T> {
  const { open }: { open(options: unknown): T | Promise<T> } = await import(module)
  return open(JSON.parse(JSON.stringify(options)))
}

/** The cosine of two vectors of unit length. */
const similarity = (a: Float32Array | undefined, b: Float32Array): number =>
  a?.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) ?? 0
