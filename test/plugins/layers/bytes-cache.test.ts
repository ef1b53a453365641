import { bytesAnswer, GatewayError, promptOf, type Store, withFacts } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { embeddings } from 'deflector/formats/embeddings'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import bytesCache from '../../../plugins/layers/bytes-cache/index.ts'
import memory from '../../../plugins/stores/memory.ts'
import { ManualClock, TestExchange, testHost } from '../../contracts/host.ts'
import { checkLayer } from '../../contracts/layer.ts'

const body = { model: 'm', input: 'text' }
const exchange = (headers: Record<string, string> = {}) =>
  new TestExchange({ prompt: promptOf(embeddings, Buffer.from(JSON.stringify(body)), body), headers })
/** One that was read: before that, no layer knows its operation. */
async function read(headers: Record<string, string> = {}): Promise<TestExchange> {
  const one = exchange(headers)
  await one.read()
  return one
}
const answer = () => withFacts(bytesAnswer(Buffer.from('{"data":[]}'), { usage: { input: 3, output: 0 } }), {})

const memoryStore = (clock: ManualClock): Store => testHost('store', { clock }).apply(memory)

checkLayer(bytesCache, {
  options: { store: 'answers' },
  around: () => {
    const clock = new ManualClock()
    return { clock, stores: { answers: memoryStore(clock) } }
  },
  passesOn: () => exchange(),
})

function cache(options: Record<string, unknown> = {}) {
  const clock = new ManualClock()
  const answers = memoryStore(clock)
  const host = testHost('layer', { name: 'bytes-cache', clock, stores: { answers } })
  host.apply(bytesCache, { store: 'answers', ...options })
  const ask = async () => host.call.answer(await read())
  /** A request that the cache had no answer for, and that another layer answered. */
  const store = async (): Promise<void> => {
    const asked = await read()
    assert.is(await host.call.answer(asked), undefined)
    await host.call.settle(asked, answer())
  }
  return { host, clock, answers, ask, store }
}

test('what was answered is answered again with the same bytes, until it is past its time', async () => {
  const { ask, store, clock } = cache({ ttl_secs: 10 })
  await store()
  const found = await ask()
  assert.is(found?.kind, 'bytes')
  if (found?.kind !== 'bytes') return
  assert.is(Buffer.from(found.bytes).toString(), '{"data":[]}')
  assert.equal([found.contentType, found.usage], ['application/json', { input: 3, output: 0 }])
  await clock.advance(11_000)
  assert.is(await ask(), undefined)
})

test('an old answer stands in when the cloud fails, and says how old it is', async () => {
  const { host, store, clock } = cache({ ttl_secs: 10, stale_secs: 100 })
  await store()
  await clock.advance(60_000)
  const gone = new GatewayError('upstream_failed', 'gone')
  assert.is((await host.call.recover(await read(), gone))?.facts.staleSecs, 60)
  assert.is(await host.call.recover(await read({ 'cache-control': 'no-cache' }), gone), undefined)
})

test('a broken entry is a miss, and is deleted; a store that fails is one as well', async () => {
  const { ask, store, answers } = cache()
  await store()
  const { get } = answers
  answers.get = async key => {
    const entry = await get.call(answers, key)
    return entry && { ...entry, value: entry.value.subarray(0, entry.value.length - 1) }
  }
  assert.is(await ask(), undefined)
  answers.get = get
  assert.is(await ask(), undefined)
  answers.get = async () => {
    throw new Error('away')
  }
  assert.is(await ask(), undefined)
})

test('an operator sees its counts and can empty it', async () => {
  const { host, ask, store } = cache()
  await store()
  assert.ok(await ask())
  const controls = host.offer(cacheControls)
  assert.equal(await controls?.stats(), { hits: 1, misses: 1, stored: 1 })
  await controls?.clear()
  assert.is(await ask(), undefined)
})

test.run()
