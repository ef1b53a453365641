import { fileURLToPath } from 'node:url'
import { Cancellation, type Embedder, type Log } from 'deflector'
import { LoadFailure, placeOf } from 'deflector/model-process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import staticModel from '../../../../plugins/models/static/index.ts'
import { EmbedChild } from '../../../../plugins/models/transformers/embed-child.ts'
import transformers from '../../../../plugins/models/transformers/index.ts'
import { ManualClock, testHost } from '../../../contracts/host.ts'
import { staticFolder } from '../../../support/static-folder.ts'
import { until } from '../../../support/until.ts'
import { variedPrompts } from '../../../support/varied-prompts.ts'

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {} }
const BUILT_IN = fileURLToPath(new URL('../../../../models/deflector-static-384', import.meta.url))
const BATCH_MS = 5000
const folder = staticFolder(['one', 'two', 'three'])

function child(options: { maxQueue?: number; clock?: ManualClock } = {}): EmbedChild {
  const { maxQueue = 100, clock = new ManualClock() } = options
  const place = placeOf(folder, '/nowhere', 'onnx/model_quantized.onnx')
  return new EmbedChild({ place, maxTokens: 512, maxQueue, batchMs: BATCH_MS, clock, log: QUIET })
}

/** Runs with a started child and closes it, whatever happens. */
async function withChild(run: (under: EmbedChild, clock: ManualClock) => Promise<void>, maxQueue = 100): Promise<void> {
  const clock = new ManualClock()
  const under = child({ maxQueue, clock })
  await under.start()
  try {
    await run(under, clock)
  } finally {
    under.close()
  }
}

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number => {
  assert.ok(a && b)
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
}

async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    assert.instance(error, Error)
    return error as Error
  }
  throw new Error('it did not fail')
}

test('gives the same vectors as the static plugin, from the same files, for a thousand varied prompts', async () => {
  const [a, b] = [testHost('model'), testHost('model')]
  const own = a.apply(staticModel) as Embedder
  const library = b.apply(transformers, { model: BUILT_IN }) as Embedder
  await Promise.all([a.start(), b.start()])
  try {
    const prompts = variedPrompts(1000)
    const [mine, theirs] = await Promise.all([own.embed(prompts), library.embed(prompts)])
    const off = prompts.filter((_, i) => cosine(mine[i], theirs[i]) < 0.9999)
    assert.equal(off, [])
    assert.is(own.fingerprint, library.fingerprint)
  } finally {
    await b.dispose()
  }
})

test('sends together what is asked together, and gives each its own', () =>
  withChild(async under => {
    const texts = Array.from({ length: 100 }, (_, i) => ['one', 'two', 'three two'][i % 3] ?? '')
    const alone = await under.embed(['three two'])
    const vectors = await Promise.all(texts.map(text => under.embed([text])))
    for (const [i, [vector]] of vectors.entries())
      if (i % 3 === 2) assert.ok(cosine(vector, alone[0]) > 0.99999, `text ${i}`)
    assert.ok(cosine(vectors[0]?.[0], alone[0]) < 0.999)
  }))

test('refuses more than may wait', () =>
  withChild(async under => {
    const error = await rejection(under.embed(['one', 'one', 'one', 'one', 'one', 'one']))
    assert.match(error.message, /too many texts wait/)
    assert.is((await under.embed(['one'])).length, 1)
  }, 5))

/** Until the child has been handed its next batch. */
const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('drops a text whose client has left, and its place in the queue is free', () =>
  withChild(async under => {
    process.kill(under.pid ?? 0, 'SIGSTOP')
    const atWork = under.embed(['one'])
    await nextTurn()
    const leaving = new Cancellation()
    const waiting = rejection(under.embed(['two'], leaving))
    assert.match((await rejection(under.embed(['three']))).message, /too many texts wait/)
    leaving.cancel(new Error('gone'))
    assert.is((await waiting).message, 'gone')
    const after = under.embed(['three'])
    process.kill(under.pid ?? 0, 'SIGCONT')
    assert.is((await atWork).length, 1)
    assert.is((await after).length, 1)
    assert.is((await rejection(under.embed(['one'], leaving))).message, 'gone', 'too late to begin')
  }, 1))

test('who waits for a late batch in vain is the last one, until it is back', () =>
  withChild(async under => {
    process.kill(under.pid ?? 0, 'SIGSTOP')
    const atWork = under.embed(['one'])
    await nextTurn()
    const [waiting, leaving] = [new Cancellation(), new Cancellation()]
    const given = [rejection(under.embed(['two'], leaving)), rejection(under.embed(['two'], waiting))]
    leaving.cancel(new Error('gone'))
    const accepted = under.embed(['three'])
    waiting.cancel(new DOMException('no vector in time', 'TimeoutError'))
    assert.equal(
      (await Promise.all(given)).map(({ message }) => message),
      ['gone', 'no vector in time'],
    )
    assert.match((await rejection(under.embed(['one']))).message, /is late/)
    process.kill(under.pid ?? 0, 'SIGCONT')
    await Promise.all([atWork, accepted])
    assert.is((await under.embed(['one'])).length, 1)
  }))

test('kills a child that hangs, fails what it had, and the next one takes over what waits', () =>
  withChild(async (under, clock) => {
    const first = under.pid ?? 0
    process.kill(first, 'SIGSTOP')
    const had = rejection(under.embed(['one']))
    await nextTurn()
    const waiting = under.embed(['two'])
    await clock.advance(BATCH_MS)
    assert.match((await had).message, /gave no answer within 5000 ms/)
    assert.match((await rejection(under.embed(['three']))).message, /is starting/, 'nobody waits for a model to load')
    assert.is((await waiting).length, 1)
    assert.is.not(under.pid, first)

    // One that hangs again is not replaced before the minute is over.
    process.kill(under.pid ?? 0, 'SIGSTOP')
    const again = [rejection(under.embed(['one']))]
    await nextTurn()
    again.push(rejection(under.embed(['two'])))
    await clock.advance(BATCH_MS)
    for (const { message } of await Promise.all(again)) assert.match(message, /gave no answer within 5000 ms/)
    assert.match((await rejection(under.embed(['one']))).message, /is down/)
  }))

test('a child that answers in time is left alone', () =>
  withChild(async (under, clock) => {
    const first = under.pid
    await under.embed(['one'])
    await clock.advance(2 * BATCH_MS)
    await under.embed(['two'])
    assert.is(under.pid, first)
    assert.is(clock.sleeping, 0)
  }))

test('fails what a killed child had, and starts another for what comes after', () =>
  withChild(async (under, clock) => {
    const first = under.pid
    assert.ok(first)
    const had = under.embed(Array.from({ length: 90 }, () => 'one two three '.repeat(150)))
    const failed = rejection(had)
    await new Promise(resolve => setImmediate(resolve))
    process.kill(first, 'SIGKILL')
    assert.match((await failed).message, /the embedding process ended \(SIGKILL\)/)
    await until('it comes about', () => under.up)
    assert.is.not(under.pid, first)
    assert.is((await under.embed(['one'])).length, 1)

    // Once a minute: a model that crashes at every text must not cost a start each.
    process.kill(under.pid ?? 0, 'SIGKILL')
    await until('it comes about', () => !under.up)
    assert.match((await rejection(under.embed(['one']))).message, /is down/)
    await clock.advance(60_000)
    assert.match((await rejection(under.embed(['one']))).message, /is starting/)
    await until('it comes about', () => under.up)
    assert.is((await under.embed(['one'])).length, 1)
  }))

test('closes while texts wait, and they fail', async () => {
  const under = child()
  await under.start()
  const waiting = rejection(under.embed(['one']))
  under.close()
  assert.match((await waiting).message, /was closed/)
  assert.match((await rejection(under.embed(['one']))).message, /is down/)
})

test('says what to do when the model cannot be had', async () => {
  const remedy = /set embedding_model to "static".*or cache_mode to "exact"/
  const refused = async (model: string): Promise<string> => {
    const host = testHost('model')
    host.apply(transformers, { model })
    return (await rejection(host.start())).message
  }
  const gone = await refused('/nowhere/at/all')
  assert.match(gone, /"\/nowhere\/at\/all" cannot be loaded: there is no folder/)
  assert.match(gone, remedy)

  const narrow = await refused(staticFolder(['one'], 256))
  assert.match(narrow, /it has 256 dimensions, not 384/)
  assert.match(narrow, remedy)
})

/** Makes every process that is started from now on fail to find the library. */
function hideLibrary(): () => void {
  const resolve = `export function resolve(name, context, next) {
    if (name !== '@xenova/transformers') return next(name, context)
    throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
  }`
  const inline = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`
  const hook = inline(`import { register } from 'node:module'; register(${JSON.stringify(inline(resolve))})`)
  process.execArgv.push('--import', hook)
  return () => void process.execArgv.splice(-2)
}

test('names the remedy when the optional library is not installed', async () => {
  const unhide = hideLibrary()
  try {
    const host = testHost('model')
    host.apply(transformers, { model: folder })
    const { message } = await rejection(host.start())
    assert.match(message, /Cannot find package @xenova\/transformers/)
    assert.match(message, /npm install @xenova\/transformers@2\.17\.2/)
  } finally {
    unhide()
  }
})

test('knows a missing model from a missing library', async () => {
  const under = new EmbedChild({
    place: { model: 'nothing', parent: '/nowhere', cacheDir: '/nowhere' },
    maxTokens: 512,
    maxQueue: 1,
    batchMs: BATCH_MS,
    clock: new ManualClock(),
    log: QUIET,
  })
  const error = await rejection(under.start())
  assert.instance(error, LoadFailure)
  assert.is((error as LoadFailure).why, 'no_model')
})

test.run()
