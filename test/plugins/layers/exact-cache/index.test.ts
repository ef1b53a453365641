import {
  type ChatFormat,
  GatewayError,
  type Prompt,
  promptOf,
  type Store,
  textAnswer,
  type WholeAnswer,
  wholeAnswer,
  withFacts,
} from 'deflector'
import { health } from 'deflector/facets/health'
import { cacheKey, promptHash } from 'deflector/formats/cache-key'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import exactCache from '../../../../plugins/layers/exact-cache/index.ts'
import memory from '../../../../plugins/stores/memory.ts'
import {
  type ExchangeFacts,
  ManualClock,
  plainPrompt,
  TestExchange,
  type TestHost,
  testHost,
} from '../../../contracts/host.ts'
import { checkLayer } from '../../../contracts/layer.ts'

const said = (text: string) => textAnswer(text, { model: 'm' }).completion

const memoryStore = (clock: ManualClock): Store => testHost('store', { clock }).apply(memory)

checkLayer(exactCache, {
  options: { store: 'answers' },
  around: () => {
    const clock = new ManualClock()
    return { clock, stores: { answers: memoryStore(clock) } }
  },
  passesOn: () => new TestExchange(),
})

interface Bench {
  readonly host: TestHost<'layer'>
  readonly store: Store
  ask(facts?: ExchangeFacts): Promise<{ exchange: TestExchange; answer: WholeAnswer | undefined }>
  keep(answer: WholeAnswer, facts?: ExchangeFacts): Promise<TestExchange>
  /** What the layer says to a failed exchange. */
  rescue(facts?: ExchangeFacts): Promise<{ exchange: TestExchange; answer: WholeAnswer | undefined }>
}

function bench(options: object = {}, given?: Store): Bench {
  const clock = new ManualClock()
  const store = given ?? memoryStore(clock)
  const host = testHost('layer', { clock, stores: { answers: store } })
  host.apply(exactCache, { store: 'answers', ttl_secs: 300, stale_secs: 3600, ...options })
  const whole = (answer: unknown): WholeAnswer | undefined => answer as WholeAnswer | undefined
  return {
    host,
    store,
    async ask(facts) {
      const exchange = new TestExchange(facts)
      return { exchange, answer: whole(await host.call.answer(exchange)) }
    },
    async keep(answer, facts) {
      const exchange = new TestExchange(facts)
      await host.call.settle(exchange, answer)
      return exchange
    },
    async rescue(facts) {
      const exchange = new TestExchange(facts)
      return {
        exchange,
        answer: whole(await host.call.recover(exchange, new GatewayError('upstream_failed', 'all failed'))),
      }
    },
  }
}

const hi = (text = 'Hi'): WholeAnswer => textAnswer(text, { model: 'm' })
const saying = (answer: WholeAnswer | undefined): string =>
  (answer?.completion.blocks ?? []).map(block => (block.type === 'text' ? block.text : '')).join('')
const asked = (prompt: string): { prompt: Prompt } => ({ prompt: plainPrompt(prompt) })

test('misses first, and hits once the answer was stored', async () => {
  const { ask, keep } = bench()
  const miss = await ask()
  assert.is(miss.answer, undefined)
  assert.equal(miss.exchange.notes, ['miss'])
  assert.equal((await keep(hi())).notes, ['stored'])
  const hit = await ask()
  assert.is(saying(hit.answer), 'Hi')
  assert.is(hit.answer?.facts.staleSecs, undefined)
  assert.equal(hit.exchange.notes, ['hit'])
})

test('gives each prompt, surface, session, tenant, model and route its own answer', async () => {
  const { ask, keep } = bench()
  const cases: ExchangeFacts[] = [
    asked('one'),
    asked('two'),
    { ...asked('one'), namespace: 'other' },
    { ...asked('one'), session: 's' },
    { ...asked('one'), tenant: 't' },
    { ...asked('one'), model: 'other' },
    { ...asked('one'), route: { provider: 'p' } },
  ]
  for (const [i, facts] of cases.entries()) await keep(hi(`answer ${i}`), facts)
  for (const [i, facts] of cases.entries()) assert.is(saying((await ask(facts)).answer), `answer ${i}`)
})

test('serves the stored bytes to the format that spoke them', async () => {
  const { ask, keep } = bench()
  const bytes = Buffer.from('{ "text": "Hi", "unheard_of": 1 }')
  await keep(wholeAnswer({ wire: { format: 'plain', bytes }, completion: hi().completion }))
  const { answer } = await ask()
  assert.equal(answer?.wire?.format, 'plain')
  assert.is(Buffer.from(answer?.wire?.bytes ?? []).toString(), bytes.toString())
})

test('stores nothing that may not be given again', async () => {
  const { ask, keep } = bench()
  const cut = wholeAnswer({ completion: { ...hi().completion, stop: { reason: 'length' } } })
  assert.equal((await keep(cut)).notes, ['not_storable'])
  await keep(hi(''))
  await keep(withFacts(hi(), { joined: true }))
  await keep(withFacts(hi(), { staleSecs: 9 }))
  assert.is((await ask()).answer, undefined)
})

/** A format in which every answer holds something that the canonical shape cannot. */
const rich = (prompt: Prompt): Prompt => {
  const format: ChatFormat = {
    ...prompt.format,
    decodeAnswer: body => ({ ...prompt.format.decodeAnswer(body), unmodelled: ['logprobs'] }),
  }
  return promptOf(format, prompt.bytes, prompt.body)
}
const richAnswer = (wire: boolean): WholeAnswer =>
  wholeAnswer({
    completion: { ...hi().completion, unmodelled: ['logprobs'] },
    ...(wire && { wire: { format: 'plain', bytes: Buffer.from('{"text":"Hi"}') } }),
  })

test('what only its own bytes can tell is no hit for a stream, and stays for those who want it whole', async () => {
  const { ask, keep, rescue, host } = bench()
  const whole = { prompt: rich(plainPrompt('rich')) }
  const streamed = { prompt: rich(plainPrompt('rich', { stream: true })) }
  assert.equal((await keep(richAnswer(true), whole)).notes, ['stored'])
  const miss = await ask(streamed)
  assert.is(miss.answer, undefined)
  assert.equal(miss.exchange.notes, ['not_replayable'])
  assert.is(saying((await ask(whole)).answer), 'Hi')
  await host.clock.advance(301_000)
  assert.is((await rescue(streamed)).answer, undefined)
  assert.is(saying((await rescue(whole)).answer), 'Hi')
})

test('without those bytes it is not stored', async () => {
  const { keep } = bench()
  assert.equal((await keep(richAnswer(false))).notes, ['not_storable'])
})

test('an answer past its time to live is no hit, but recovers a failure', async () => {
  const { ask, keep, rescue, host } = bench()
  await keep(hi())
  await host.clock.advance(299_000)
  assert.ok((await ask()).answer)
  await host.clock.advance(2_000)
  const late = await ask()
  assert.is(late.answer, undefined)
  assert.equal(late.exchange.notes, ['stale'])
  const { answer, exchange } = await rescue()
  assert.is(saying(answer), 'Hi')
  assert.is(answer?.facts.staleSecs, 301)
  assert.equal(exchange.notes, ['stale'])
  await host.clock.advance(3_600_000)
  assert.is((await rescue()).answer, undefined)
})

test('recovers nothing it does not have, and nothing for a call without a prompt', async () => {
  const { rescue } = bench()
  assert.is((await rescue()).answer, undefined)
  assert.is((await rescue({ prompt: null })).answer, undefined)
})

test('in mode semantic it is out of the way', async () => {
  const { ask, keep, rescue, host } = bench({ mode: 'semantic' })
  const exact = bench({ mode: 'exact' })
  await keep(hi())
  assert.is((await ask()).answer, undefined)
  assert.is((await rescue()).answer, undefined)
  assert.is(host.offer(health)?.(), 'disabled')
  assert.is(exact.host.offer(health)?.(), 'active')
})

test('a broken entry is a miss, warned about and deleted', async () => {
  const { ask, store, host, keep } = bench()
  const key = cacheKey(new TestExchange())
  await store.set(key, Buffer.from('garbage'), { ttlSecs: 60, staleSecs: 0 })
  assert.is((await ask()).answer, undefined)
  assert.is(await store.get(key), undefined)
  assert.is(host.logged.filter(({ level }) => level === 'warn').length, 1)
  await keep(hi())
  assert.ok((await ask()).answer)
})

const away = (): never => {
  throw new Error('connection refused')
}

test('without its store every request goes on, with a warning now and then', async () => {
  const store: Store = { get: async () => away(), set: async () => away(), delete: async () => away() }
  const { ask, keep, rescue, host } = bench({}, store)
  const warnings = (): number => host.logged.filter(({ level }) => level === 'warn').length
  for (let i = 0; i < 10; i++) {
    assert.is((await ask()).answer, undefined)
    assert.equal((await keep(hi())).notes, ['store_failed'])
    assert.is((await rescue()).answer, undefined)
  }
  assert.is(warnings(), 1)
  assert.is(host.offer(health)?.(), 'degraded')
  await host.clock.advance(60_000)
  await ask()
  assert.is(warnings(), 2)
})

test('is active again once its store is back', async () => {
  const clock = new ManualClock()
  const real = memoryStore(clock)
  let down = true
  const store: Store = {
    get: async key => (down ? away() : real.get(key)),
    set: async (key, value, life) => (down ? away() : real.set(key, value, life)),
    delete: async key => (down ? away() : real.delete(key)),
  }
  const { ask, keep, host } = bench({}, store)
  await ask()
  assert.is(host.offer(health)?.(), 'degraded')
  down = false
  await keep(hi())
  assert.ok((await ask()).answer)
  assert.is(host.offer(health)?.(), 'active')
})

test('a full store reads on: writing fails, the layer is degraded for a while, and hits stay', async () => {
  const clock = new ManualClock()
  const real = memoryStore(clock)
  let full = false
  const store: Store = {
    ...real,
    get: key => real.get(key),
    set: async (key, value, life) => (full ? away() : real.set(key, value, life)),
  }
  const { ask, keep, host } = bench({}, store)
  await keep(hi())
  full = true
  assert.equal((await keep(hi(), asked('another'))).notes, ['store_failed'])
  assert.ok((await ask()).answer)
  assert.is(host.offer(health)?.(), 'degraded')
  await host.clock.advance(60_000)
  assert.is(host.offer(health)?.(), 'active')
})

const control = (value: string): { headers: Record<string, string> } => ({ headers: { 'cache-control': value } })

test('with no-cache it gives nothing stored, fresh or stale, and stores what comes', async () => {
  const { ask, keep, rescue, host } = bench()
  await keep(hi('old'))
  const passed = await ask(control('no-cache'))
  assert.is(passed.answer, undefined)
  assert.equal(passed.exchange.notes, ['not_wanted'])
  assert.is((await rescue(control('no-cache'))).answer, undefined)
  assert.equal((await keep(hi('new'), control('no-cache'))).notes, ['stored'])
  assert.is(saying((await ask()).answer), 'new')
  await host.clock.advance(301_000)
  assert.is((await rescue(control('no-cache'))).answer, undefined)
  assert.ok((await rescue()).answer)
})

test('with no-store it neither asks nor tells its store', async () => {
  const uses: string[] = []
  const store: Store = {
    get: async key => void uses.push(`get ${key}`),
    set: async key => void uses.push(`set ${key}`),
    delete: async () => false,
  }
  const { ask, keep, rescue } = bench({}, store)
  await ask(control('no-store'))
  assert.equal((await keep(hi(), control('no-store'))).notes, ['not_wanted'])
  await rescue({ ...control('no-store'), namespace: 'native' })
  assert.equal(uses, [])
})

test('an answer lives as long as its request asked, within bounds', async () => {
  const { ask, keep, host } = bench({ max_ttl_secs: 1000, stale_secs: 0 })
  const living = (seconds: string) => ({ ...asked(seconds), headers: { 'x-service-cache-ttl': seconds } })
  const lives = { '10': 10, '1': 1, '600': 600, '5000': 1000, ' ': 300 }
  for (const seconds of Object.keys(lives)) await keep(hi(), living(seconds))
  let now = 0
  for (const [seconds, until] of Object.entries(lives).sort(([, a], [, b]) => a - b)) {
    await host.clock.advance((until - 0.5 - now) * 1000)
    assert.ok((await ask(asked(seconds))).answer, `${seconds} before its time`)
    await host.clock.advance(1000)
    assert.is((await ask(asked(seconds))).answer, undefined, `${seconds} after it`)
    now = until + 0.5
  }
})

test('a request that asks for no time to live is not kept, but may be answered', async () => {
  const { ask, keep } = bench()
  const unkept = { ...asked('x'), headers: { 'x-service-cache-ttl': '0' } }
  assert.equal((await keep(hi(), unkept)).notes, ['not_wanted'])
  assert.is((await ask(unkept)).answer, undefined)
  await keep(hi(), asked('x'))
  assert.ok((await ask(unkept)).answer)
})

const LIFE = { ttlSecs: 60, staleSecs: 60 }

test('recovers from the key of the older layout, on the native surface only', async () => {
  const { ask, rescue, store } = bench()
  await store.set(promptHash('old'), Buffer.from('{"text":"From long ago"}'), LIFE)
  const native = { ...asked('old'), namespace: 'native' }
  const { answer } = await rescue(native)
  assert.is(saying(answer), 'From long ago')
  assert.is(answer?.facts.staleSecs, 0)
  assert.is((await ask(native)).answer, undefined, 'it is read in recover only')
  assert.is((await rescue({ ...asked('old'), namespace: 'messages' })).answer, undefined)
  assert.is((await rescue({ ...native, session: 's' })).answer, undefined)
  assert.is((await rescue({ ...native, tenant: 't' })).answer, undefined)
  assert.is((await rescue({ ...asked('older'), namespace: 'native' })).answer, undefined)
})

test('a copy of what another cache served is fresh for no longer than the original', async () => {
  const { host, ask, keep } = bench()
  const copy = (secs: number) => wholeAnswer({ completion: said('copied'), freshUntil: host.clock.now() + secs * 1000 })
  await keep(copy(3))
  await host.clock.advance(2_000)
  assert.ok((await ask()).answer)
  await host.clock.advance(2_000)
  const { exchange, answer } = await ask()
  assert.is(answer, undefined)
  assert.equal(exchange.notes, ['stale'])
  assert.equal((await keep(copy(0), { prompt: plainPrompt('another') })).notes, ['not_wanted'])
})

test('what a model of this machine wrote never stands in for a failure once its time is over', async () => {
  const { host, ask, keep, rescue } = bench()
  await keep(wholeAnswer({ completion: said('local'), local: true, freshUntil: host.clock.now() + 60_000 }))
  const { answer } = await ask()
  assert.is(answer?.facts.local, true, 'a copy of it is no more')
  assert.is(saying((await rescue()).answer), 'local')
  await host.clock.advance(61_000)
  assert.is((await rescue()).answer, undefined)
})

test('honours an older entry only in the shape of the one who asks', async () => {
  const { rescue, store } = bench()
  const other = '{"choices":[{"message":{"content":"Hi"}}]}'
  const native = { ...asked('old'), namespace: 'native' }
  for (const value of [other, 'garbage', '[]', '']) {
    await store.set(promptHash('old'), Buffer.from(value), LIFE)
    assert.is((await rescue(native)).answer, undefined, value)
    assert.ok(await store.get(promptHash('old')), 'not ours to delete')
  }
})

test('prefers the entry under its own key to one of the older layout', async () => {
  const { rescue, store, keep } = bench()
  const native = { ...asked('old'), namespace: 'native' }
  await store.set(promptHash('old'), Buffer.from('{"text":"From long ago"}'), LIFE)
  await keep(hi('Newer'), native)
  assert.is(saying((await rescue(native)).answer), 'Newer')
})

test('never writes the key of the older layout', async () => {
  const { keep, store } = bench()
  await keep(hi(), { ...asked('old'), namespace: 'native' })
  assert.is(await store.get(promptHash('old')), undefined)
})

test('logs neither prompt nor answer', async () => {
  const store: Store = { get: async () => away(), set: async () => away(), delete: async () => away() }
  const { ask, keep, host } = bench({}, store)
  await ask(asked('my secret question'))
  await keep(hi('my secret answer'), asked('my secret question'))
  assert.not.match(JSON.stringify(host.logged), /secret/)
})

test.run()
