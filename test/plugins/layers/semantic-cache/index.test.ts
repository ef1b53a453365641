import {
  Cancellation,
  type Embedder,
  type Exchange,
  type Prompt,
  promptOf,
  type Store,
  textAnswer,
  type WholeAnswer,
  withFacts,
} from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { health } from 'deflector/facets/health'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { native } from 'deflector/formats/native'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import semanticCache from '../../../../plugins/layers/semantic-cache/index.ts'
import { tokensOf } from '../../../../plugins/layers/semantic-cache/tokens.ts'
import memory from '../../../../plugins/stores/memory.ts'
import {
  type ExchangeFacts,
  type HostGiven,
  ManualClock,
  plainFormat,
  TestExchange,
  type TestHost,
  testHost,
} from '../../../contracts/host.ts'
import { checkLayer } from '../../../contracts/layer.ts'

/** Words as directions: texts with the same words are near, and a word more costs little. */
class WordEmbedder implements Embedder {
  readonly dimensions = 384
  readonly fingerprint: string
  asked = 0
  fails = false

  constructor(fingerprint = 'words') {
    this.fingerprint = fingerprint
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.asked++
    if (this.fails) throw new Error('the model is gone')
    return texts.map(text => {
      const vector = new Float32Array(384)
      vector[0] = 12
      for (const { stem } of tokensOf(text)) {
        let place = 7
        for (const c of stem) place = (place * 31 + c.charCodeAt(0)) % 383
        vector[1 + place] = 1
      }
      const length = Math.hypot(...vector)
      return vector.map(x => x / length)
    })
  }
}

const given = (model: Embedder = new WordEmbedder(), more: HostGiven = {}): HostGiven => ({
  models: { embedder: model },
  ...more,
})
checkLayer(semanticCache, { options: { model: 'embedder' }, around: given, passesOn: () => new TestExchange() })

const chat = (body: object): Prompt =>
  promptOf(chatCompletions, Buffer.from(JSON.stringify(body)), JSON.parse(JSON.stringify(body)))
const user = (content: unknown, more: object = {}): Prompt =>
  chat({ model: 'm1', messages: [{ role: 'user', content }], ...more })
const nativePrompt = (prompt: string): Prompt => promptOf(native, Buffer.from(JSON.stringify({ prompt })), { prompt })

interface Bench {
  readonly host: TestHost<'layer'>
  ask(prompt: Prompt | string, facts?: ExchangeFacts): Promise<{ exchange: TestExchange; text: string | undefined }>
  /** Asks, and when nobody knows, learns the answer. */
  learn(prompt: Prompt | string, answer: string, facts?: ExchangeFacts): Promise<TestExchange>
}

async function bench(options: object = {}, around: HostGiven = given()): Promise<Bench> {
  const host = testHost('layer', around)
  host.apply(semanticCache, { model: 'embedder', ...options })
  await host.start()
  host.ready()
  const exchangeOf = (prompt: Prompt | string, facts: ExchangeFacts = {}): TestExchange =>
    new TestExchange({ prompt: typeof prompt === 'string' ? user(prompt) : prompt, ...facts })
  const textOf = (answer: WholeAnswer | undefined): string | undefined =>
    answer?.completion.blocks.map(block => (block.type === 'text' ? block.text : '')).join('')
  return {
    host,
    async ask(prompt, facts) {
      const exchange = exchangeOf(prompt, facts)
      return { exchange, text: textOf((await host.call.answer(exchange)) as WholeAnswer | undefined) }
    },
    async learn(prompt, answer, facts) {
      const exchange = exchangeOf(prompt, facts)
      assert.is(await host.call.answer(exchange), undefined, 'it is news')
      await host.call.settle(exchange, textAnswer(answer, { model: 'm1' }))
      return exchange
    },
  }
}

const noted = (exchange: Exchange): string[] => exchange.trail.map(({ outcome }) => outcome)

test('answers the same words in other manners without a vector', async () => {
  const { ask, learn, host } = await bench()
  await learn('How do I prune an apple tree?', 'In winter.', { id: 'first' })
  const { text, exchange } = await ask('please, how can I prune an apple tree??')
  assert.is(text, 'In winter.')
  assert.equal(exchange.replyHeaders, { 'x-service-cache-reason': 'canonical', 'x-service-cache-similarity': '1.0000' })
  assert.equal(noted(exchange), ['canonical 1.0000 first'])
  assert.is(host.offer(health)?.(), 'active')
})

test('answers the same question in other words, and says how alike they are', async () => {
  const { ask, learn } = await bench()
  await learn('How do I cancel my gym membership plan?', 'At the desk.', { id: 'first' })
  const { text, exchange } = await ask('How can I cancel the gym membership plan that I have?')
  assert.is(text, 'At the desk.')
  assert.is(exchange.replyHeaders['x-service-cache-reason'], 'similar')
  assert.match(exchange.replyHeaders['x-service-cache-similarity'] ?? '', /^0\.\d{4}$/)
  assert.match(noted(exchange).join(), /^similar 0\.\d{4} first$/)
})

test('refuses an opposite, however near, and says so with the neighbour and its similarity', async () => {
  const { ask, learn } = await bench({ similarity_threshold: 0.5 })
  await learn('How do I enable dark mode in the settings?', 'Switch it on.', { id: 'first' })
  const { text, exchange } = await ask('How do I disable dark mode in the settings?')
  assert.is(text, undefined)
  assert.match(noted(exchange).join(), /^refused opposites 0\.\d{4} first$/)
})

test('looks at nothing below the threshold', async () => {
  const { ask, learn } = await bench({ similarity_threshold: 1 })
  await learn('How do I cancel my gym membership plan?', 'At the desk.')
  const { exchange } = await ask('How can I cancel the gym membership plan that I have?')
  assert.equal(noted(exchange), ['miss'])
})

const OTHERS: readonly (readonly [string, Prompt, ExchangeFacts])[] = [
  ['model', user('Why is the sky blue?', { model: 'm2' }), {}],
  [
    'system text',
    chat({
      model: 'm1',
      messages: [
        { role: 'system', content: 'Be a pirate.' },
        { role: 'user', content: 'Why is the sky blue?' },
      ],
    }),
    {},
  ],
  ['sampling', user('Why is the sky blue?', { temperature: 0.2 }), {}],
  ['output cap', user('Why is the sky blue?', { max_tokens: 10 }), {}],
  ['session', user('Why is the sky blue?'), { session: 's1' }],
  ['tenant', user('Why is the sky blue?'), { tenant: 't1' }],
  ['surface', user('Why is the sky blue?'), { namespace: 'other' }],
  ['route', user('Why is the sky blue?'), { route: { provider: 'backup' } }],
]
for (const [name, prompt, facts] of OTHERS)
  test(`shares nothing across another ${name}`, async () => {
    const { ask, learn } = await bench()
    await learn(user('Why is the sky blue?'), 'Scattering.')
    assert.is((await ask(prompt, facts)).text, undefined)
    await learn(prompt, 'Other.', facts)
    assert.is((await ask(prompt, facts)).text, 'Other.')
    assert.is((await ask(user('Why is the sky blue?'))).text, 'Scattering.')
  })

test('earlier turns are part of who may share', async () => {
  const talk = (first: string): Prompt =>
    chat({
      model: 'm1',
      messages: [
        { role: 'user', content: first },
        { role: 'assistant', content: 'Well.' },
        { role: 'user', content: 'Which planets of the solar system have rings around themselves?' },
      ],
    })
  const { ask, learn } = await bench()
  await learn(talk('Let us talk about stars.'), 'Four.')
  assert.is((await ask(talk('Let us talk about stars.'))).text, 'Four.')
  assert.is((await ask(talk('Let us talk about music.'))).text, undefined)
})

const SKIPPED: readonly (readonly [string, Prompt])[] = [
  ['tools', user('Why is the sky blue?', { tools: [{ type: 'function', function: { name: 'look' } }] })],
  [
    'not_text',
    user([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
    ]),
  ],
  ['schema', user('Why is the sky blue?', { response_format: { type: 'json_object' } })],
  ['long_or_code', user('Why?\n```\ncode\n```')],
  ['volatile', user('Who is the current president of the chess club?')],
  ['temperature', user('Why is the sky blue?', { temperature: 1.5 })],
]
for (const [reason, prompt] of SKIPPED)
  test(`leaves ${reason} to the exact cache`, async () => {
    const { ask, learn } = await bench()
    await learn(prompt, 'Because.')
    const { text, exchange } = await ask(prompt)
    assert.is(text, undefined)
    assert.equal(noted(exchange), [`skipped ${reason}`])
  })

test('says in its numbers why it left requests to others and candidates to a miss', async () => {
  const { ask, learn, host } = await bench({ similarity_threshold: 0.5 })
  await learn('How do I enable dark mode in the settings?', 'Switch it on.')
  await ask('How do I disable dark mode in the settings?')
  await learn('What is the weather today?', 'Rain.')
  await ask('what is the weather today')
  const { skipped_volatile, refused_opposites, entries } = (await host.offer(cacheControls)?.stats()) ?? {}
  assert.equal([skipped_volatile, refused_opposites, entries], [2, 1, 1])
})

test('a short turn after others is left to the exact cache', async () => {
  const talk = (last: string): Prompt =>
    chat({
      model: 'm1',
      messages: [
        { role: 'user', content: 'What is a closure?' },
        { role: 'assistant', content: 'A function with its surroundings.' },
        { role: 'user', content: last },
      ],
    })
  const { ask, learn } = await bench()
  await learn(talk('and in Python?'), 'The same.')
  assert.equal(noted((await ask(talk('And in Python'))).exchange), ['skipped leans'])
  const pointing = 'Explain that in more detail for somebody who is new to programming'
  await learn(talk(pointing), 'Well.')
  assert.is((await ask(talk(`${pointing}, please.`))).text, 'Well.')
  assert.equal(noted((await ask(talk(`${pointing} languages`))).exchange), ['miss same_words'])
})

test('leaves a dialect that has no last turn', async () => {
  const { ask } = await bench()
  const prompt = promptOf(plainFormat, Buffer.from('{"prompt":"How do I prune a tree?"}'), {
    prompt: 'How do I prune a tree?',
  })
  const { text, exchange } = await ask(prompt)
  assert.is(text, undefined)
  assert.equal(noted(exchange), ['skipped not_text'])
})

test('another language is answered for the same words only', async () => {
  const { ask, learn } = await bench()
  await learn('¿Por qué el cielo es azul?', 'Por la luz.')
  assert.is((await ask('¿por qué  el cielo es azul')).text, 'Por la luz.')
  assert.is((await ask('¿Por qué el cielo es azul hoy?')).text, undefined)
})

test('an answer is served until its time is over', async () => {
  const clock = new ManualClock()
  const { ask, learn } = await bench({ ttl_secs: 60 }, given(new WordEmbedder(), { clock }))
  await learn('Why is the sky blue?', 'Scattering.')
  await clock.advance(59_000)
  assert.is((await ask('why is the sky blue')).text, 'Scattering.')
  await clock.advance(2_000)
  assert.is((await ask('why is the sky blue')).text, undefined)
})

test('a request may ask anew, keep nothing, or say how long', async () => {
  const clock = new ManualClock()
  const { ask, learn } = await bench({ ttl_secs: 60 }, given(new WordEmbedder(), { clock }))
  await learn('Why is the sky blue?', 'Scattering.', { headers: { 'x-service-cache-ttl': '600' } })
  assert.is((await ask('Why is the sky blue?', { headers: { 'cache-control': 'no-cache' } })).text, undefined)
  await clock.advance(300_000)
  assert.is((await ask('Why is the sky blue?')).text, 'Scattering.')
  await learn('Why is the grass green?', 'Chlorophyll.', { headers: { 'cache-control': 'no-store' } })
  assert.is((await ask('Why is the grass green?')).text, undefined)
})

test('keeps only what is fit to be served', async () => {
  const { ask, host } = await bench()
  const exchange = new TestExchange({ prompt: user('Why is the sky blue?') })
  const cut = textAnswer('Because of', { model: 'm1' })
  await host.call.settle(exchange, { ...cut, completion: { ...cut.completion, stop: { reason: 'length' } } })
  await host.call.settle(exchange, withFacts(textAnswer('Old.', { model: 'm1' }), { staleSecs: 9 }))
  assert.is((await ask('Why is the sky blue?')).text, undefined)
})

test('what was served to one question is served to it in other manners', async () => {
  const model = new WordEmbedder()
  const { ask, learn } = await bench({ similarity_threshold: 0.97 }, given(model))
  await learn('How do I cancel my gym membership plan?', 'At the desk.', { id: 'first' })
  assert.is((await ask('How can I cancel the gym membership plan that I have?')).text, 'At the desk.')
  const before = model.asked
  const { text, exchange } = await ask(
    'Good morning everyone, HOW CAN I CANCEL THE GYM MEMBERSHIP PLAN THAT I HAVE?? Many thanks in advance!',
  )
  assert.is(text, 'At the desk.', 'these words lie too far from the entry')
  assert.is(model.asked, before, 'it was decided before')
  assert.is(exchange.replyHeaders['x-service-cache-reason'], 'similar')
  assert.match(noted(exchange).join(), /^similar 0\.\d{4} first$/)
})

test('what was found to be wrong is not served in other manners either', async () => {
  const { ask, learn, host } = await bench()
  await learn('How do I cancel my gym membership plan?', 'At the desk.')
  const { exchange } = await ask('How can I cancel the gym membership plan that I have?')
  assert.ok(await host.offer(cacheControls)?.forget(exchange.id))
  await learn('How do I cancel my gym membership plan?', 'At the desk.')
  const { text } = await ask('how can i cancel the gym membership plan that i have, please')
  assert.is(text, undefined)
})

test('words that were found to say something else are never again read as the same', async () => {
  const { ask, learn, host } = await bench()
  await learn('How do I cancel my gym membership plan?', 'At the desk.')
  const { exchange, text } = await ask('please, how do I cancel my gym Membership plan')
  assert.is(text, 'At the desk.')
  assert.is(exchange.replyHeaders['x-service-cache-reason'], 'canonical')
  assert.ok(await host.offer(cacheControls)?.forget(exchange.id))
  await learn('How do I cancel my gym membership plan?', 'At the desk.')
  const again = await ask('please, how do I cancel my gym Membership plan')
  assert.is(again.text, undefined)
  assert.equal(noted(again.exchange), ['skipped parted'])
})

test('an answer that was forgotten by those who asked in its own words may be learnt anew', async () => {
  const { ask, learn, host } = await bench()
  await learn('How do I cancel my gym membership plan?', 'Never.')
  const { exchange } = await ask('How do I cancel my gym membership plan?')
  assert.ok(await host.offer(cacheControls)?.forget(exchange.id))
  assert.is((await ask('How do I cancel my gym membership plan?')).text, undefined)
  await learn('How do I cancel my gym membership plan?', 'At the desk.')
  assert.is((await ask('please, how do I cancel my gym Membership plan')).text, 'At the desk.')
})

test('an answer from outside is found by both ways', async () => {
  const { ask, host } = await bench()
  await host.call.settle(
    new TestExchange({ prompt: nativePrompt('How do I cancel my gym membership plan?') }),
    textAnswer('At the desk.', { model: '' }),
  )
  assert.is((await ask(nativePrompt('how to cancel my gym membership plan'))).text, 'At the desk.')
  assert.is((await ask(nativePrompt('How can I cancel the gym membership plan that I have?'))).text, 'At the desk.')
})

test('goes on without its model, and says that it is degraded', async () => {
  const model = new WordEmbedder()
  const { ask, learn, host } = await bench({}, given(model))
  model.fails = true
  await learn('Why is the sky blue?', 'Scattering.')
  assert.is((await ask('why is the sky blue')).text, 'Scattering.', 'the canonical key needs no model')
  assert.equal(noted((await ask('Why is grass green?')).exchange), ['failed model'])
  assert.is(host.offer(health)?.(), 'degraded')
  assert.is(host.logged.filter(({ level }) => level === 'warn').length, 1, 'one line for many failures')
})

/** Takes every text and never gives a vector. */
class HungEmbedder extends WordEmbedder {
  readonly cancellations: (Cancellation | undefined)[] = []

  override embed(_: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    this.asked++
    this.cancellations.push(cancellation)
    return new Promise(() => {})
  }

  /** Until it has been asked so often. */
  async until(asked: number): Promise<void> {
    while (this.asked < asked) await new Promise(resolve => setImmediate(resolve))
  }
}

test('a vector that is late is a miss, the model hears of it, and is not asked again for the answer', async () => {
  const model = new HungEmbedder()
  const { host, ask } = await bench({ embed_wait_ms: 800 }, given(model))
  const exchange = new TestExchange({ prompt: user('Why is the sky blue?') })
  const asking = host.call.answer(exchange)
  await model.until(1)
  await host.clock.advance(800)
  assert.is(await asking, undefined)
  assert.equal(noted(exchange), ['failed model'])
  const reason = model.cancellations[0]?.reason
  assert.is(reason instanceof Error && `${reason.name}: ${reason.message}`, 'TimeoutError: no vector within 800 ms')
  assert.is(host.offer(health)?.(), 'degraded')

  await host.call.settle(exchange, textAnswer('Scattering.', { model: 'm1' }))
  assert.is(model.asked, 1)
  assert.is((await ask('why is the sky blue')).text, 'Scattering.', 'it is kept under its canonical key')
})

test('an answer that nobody asked for waits no longer for its vector', async () => {
  const model = new HungEmbedder()
  const { host, ask } = await bench({}, given(model))
  const exchange = new TestExchange({ prompt: user('Why is the sky blue?') })
  const settling = host.call.settle(exchange, textAnswer('Scattering.', { model: 'm1' }))
  await model.until(1)
  await host.clock.advance(1000)
  await settling
  assert.is((await ask('why is the sky blue')).text, 'Scattering.')
})

test('a client that leaves is no failure of the model', async () => {
  const model = new HungEmbedder()
  const { host } = await bench({}, given(model))
  const cancellation = new Cancellation()
  const asking = host.call.answer(new TestExchange({ prompt: user('Why is the sky blue?'), cancellation }))
  await model.until(1)
  const gone = new Error('gone')
  cancellation.cancel(gone)
  assert.is(await asking, undefined)
  assert.is(model.cancellations[0]?.reason, gone, 'its work can be dropped')
  assert.is(host.offer(health)?.(), 'active')
  assert.equal(host.logged, [])
  assert.is(host.clock.sleeping, 0)
})

test('leaves nothing behind on the exchange or the clock when the vector is there', async () => {
  const { ask, host } = await bench()
  const cancellation = new Cancellation()
  let listening = 0
  const onCancel = cancellation.onCancel.bind(cancellation)
  cancellation.onCancel = listener => {
    listening++
    const forget = onCancel(listener)
    return () => {
      listening--
      forget()
    }
  }
  await ask('Why is the sky blue?', { cancellation })
  assert.is(listening, 0)
  assert.is(host.clock.sleeping, 0)
})

test('with mode exact it asks for no model and passes everything', async () => {
  const host = testHost('layer')
  host.apply(semanticCache, { model: 'nobody', mode: 'exact' })
  assert.equal(host.tapped, [])
  assert.is(host.offer(health)?.(), 'disabled')
})

test('holds no more entries than it may', async () => {
  const { ask, learn } = await bench({ max_entries: 2 })
  for (const [i, thing] of ['lemons', 'violins', 'glaciers'].entries())
    await learn(`Where do ${thing} come from?`, `${i}`)
  assert.is((await ask('where do lemons come from')).text, undefined)
  assert.is((await ask('where do glaciers come from')).text, '2')
})

test('entries outlive a reload, and not a change of the model', async () => {
  const model = new WordEmbedder()
  const first = await bench({}, given(model))
  await first.learn('Why is the sky blue?', 'Scattering.')
  const second = await bench({}, given(model, { kept: first.host.kept }))
  await first.host.dispose()
  assert.is((await second.ask('why is the sky blue')).text, 'Scattering.')
  const third = await bench({}, given(new WordEmbedder('other'), { kept: second.host.kept }))
  assert.is((await third.ask('why is the sky blue')).text, undefined)
})

test('replicas that share a store share what they learn', async () => {
  const clock = new ManualClock()
  const values = testHost('store', { clock }).apply(memory)
  const followers: ((key: string, value: Uint8Array | undefined) => void)[] = []
  const shared: Store = {
    ...values,
    set: async (key, value, life) => {
      await values.set(key, value, life)
      for (const seen of followers) seen(key, value)
    },
    follow: (_, seen) => void followers.push(seen),
  }
  const around = (): HostGiven => given(new WordEmbedder(), { clock, stores: { shared } })
  const [one, two] = [await bench({ store: 'shared' }, around()), await bench({ store: 'shared' }, around())]
  await one.learn('How do I cancel my gym membership plan?', 'At the desk.', { id: 'first' })
  assert.is((await two.ask('how to cancel my gym membership plan')).text, 'At the desk.')
  const { text, exchange } = await two.ask('How can I cancel the gym membership plan that I have?')
  assert.is(text, 'At the desk.')
  assert.match(noted(exchange).join(), /^similar .* first$/)
})

test('a record that was replaced by another, or broken, after it was learnt is not served, and told once', async () => {
  const clock = new ManualClock()
  const values = testHost('store', { clock }).apply(memory)
  const keys: string[] = []
  const shared: Store = {
    ...values,
    set: async (key, value, life) => {
      keys.push(key)
      await values.set(key, value, life)
    },
  }
  const { host, ask, learn } = await bench(
    { store: 'shared' },
    given(new WordEmbedder(), { clock, stores: { shared } }),
  )
  const life = { ttlSecs: 300, staleSecs: 0 }
  await learn('What is my password for the bank account?', 'A secret.', { tenant: 'ann' })
  await learn('What is my password for the bank account?', 'Nothing.', { tenant: 'bob' })
  const [anns = '', bobs = ''] = keys
  const secret = await values.get(anns)
  assert.ok(secret)
  for (const record of [secret.value, secret.value.subarray(0, -3), Buffer.from('a secret')]) {
    await values.set(bobs, record, life)
    for (const words of ['what is my password for the bank account', 'What is the password for my bank account?']) {
      assert.is((await ask(words, { tenant: 'bob' })).text, undefined)
    }
    await learn('What is my password for the bank account?', 'Nothing.', { tenant: 'bob' })
    assert.is((await ask('what is my password for the bank account', { tenant: 'bob' })).text, 'Nothing.')
  }
  const warned = host.logged.filter(({ level }) => level === 'warn')
  assert.is(warned.length, 1)
  assert.not.match(JSON.stringify(warned), /secret|password|Nothing/)
})

test('a shadow check asks anew, and keeps silent about it to the client', async () => {
  const { ask, learn } = await bench({ shadow_rate: 1 })
  await learn('How do I cancel my gym membership plan?', 'At the desk.', { id: 'first' })
  const { text, exchange } = await ask('How can I cancel the gym membership plan that I have?')
  assert.is(text, undefined)
  assert.match(noted(exchange).join(), /^shadow 0\.\d{4} first$/)
  assert.equal(exchange.replyHeaders, {})
})

test('an answer that is served says how long it may be, for whoever copies it', async () => {
  const { host, learn } = await bench()
  const until = host.clock.now() + 7_000
  await learn(nativePrompt('why is the sky blue?'), 'Scattering.', { headers: { 'x-service-cache-ttl': '7' } })
  await host.clock.advance(5_000)
  const exchange = new TestExchange({ prompt: nativePrompt('Why is the sky blue') })
  const answer = (await host.call.answer(exchange)) as WholeAnswer | undefined
  assert.is(answer?.facts.freshUntil, until)
})

test.run()
