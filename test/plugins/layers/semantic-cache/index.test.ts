import { execFileSync } from 'node:child_process'
import {
  Cancellation,
  type Exchange,
  type Prompt,
  promptOf,
  type Store,
  textAnswer,
  type WholeAnswer,
  withFacts,
} from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { cacheWhy, type Why } from 'deflector/facets/cache-why'
import { health } from 'deflector/facets/health'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { native } from 'deflector/formats/native'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import semanticCache from '../../../../plugins/layers/semantic-cache/index.ts'
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
import { until } from '../../../support/until.ts'
import { WordEmbedder } from '../../../support/word-embedder.ts'
import { Gate, WordJudge } from '../../../support/word-judge.ts'

/** The same in the engine: with its vectors it need not ask this process. */
class PortableEmbedder extends WordEmbedder {
  readonly portable = { module: import.meta.resolve('../../../support/word-embedder.ts'), options: {} }
}

const given = (model = new WordEmbedder(), more: HostGiven = {}): HostGiven => ({
  models: { embedder: model, judge: new WordJudge() },
  ...more,
})
const MODELS = { model: 'embedder', judge: 'judge' }
checkLayer(semanticCache, { options: MODELS, around: given, passesOn: () => new TestExchange() })

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

const hosts: TestHost<'layer'>[] = []
test.after.each(async () => {
  for (const host of hosts.splice(0)) await host.dispose()
})

async function bench(options: object = {}, around: HostGiven = given()): Promise<Bench> {
  const host = testHost('layer', around)
  host.apply(semanticCache, { ...MODELS, ...options })
  hosts.push(host)
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
  const { text, exchange } = await ask('please, how do I prune an apple tree??')
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
  assert.match(noted(exchange).join(), /^similar 0\.\d{4} [01]\.\d{4} first$/)
})

test('refuses an opposite, however near, and says so with the neighbour and its similarity', async () => {
  const { ask, learn } = await bench({ similarity_threshold: 0.5 })
  await learn('How do I enable dark mode in the settings?', 'Switch it on.', { id: 'first' })
  const { text, exchange } = await ask('How do I disable dark mode in the settings?')
  assert.is(text, undefined)
  assert.match(noted(exchange).join(), /^refused opposites 0\.\d{4} 0\.0000 first$/)
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

test('what the system prompt or an earlier turn gives to work on is left to the exact cache', async () => {
  const asked = 'What do herons eat in the winter months?'
  const prompt = (before: readonly object[], content = asked): Prompt =>
    chat({ model: 'm1', messages: [...before, { role: 'user', content }] })
  const said = (role: string, content: string): object => ({ role, content })
  const { ask, learn } = await bench()
  for (const before of [
    [said('system', 'Translate.')],
    [said('user', 'Translate each.'), said('assistant', 'Send them.')],
  ]) {
    await learn(prompt(before), 'Was fressen Reiher?')
    assert.equal(noted((await ask(prompt(before, `${asked}, please`))).exchange), ['skipped worked_on'])
  }
  const others = [said('user', 'Hello.'), said('assistant', 'Translate.')]
  await learn(prompt(others), 'Fish.')
  assert.is((await ask(prompt(others, `please: ${asked}`))).text, 'Fish.', 'a model hands nothing over')
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
  assert.match(noted(exchange).join(), /^similar 0\.\d{4} [01]\.\d{4} first$/)
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
  await learn('Why is snow white?', 'Scattering too.')
  model.fails = true
  await learn('Why is the sky blue?', 'Scattering.')
  assert.is((await ask('why is the sky blue')).text, 'Scattering.', 'the canonical key needs no model')
  assert.equal(noted((await ask('Why is grass green?')).exchange), ['failed model'])
  assert.is(host.offer(health)?.(), 'degraded')
  assert.is(host.logged.filter(({ level }) => level === 'warn').length, 1, 'one line for many failures')
})

/** Takes every text and, from the second on, never gives a vector. */
class HungEmbedder extends WordEmbedder {
  readonly cancellations: (Cancellation | undefined)[] = []

  override embed(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    if (this.asked === 0) return super.embed(texts)
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
  const { host, ask, learn } = await bench({ embed_wait_ms: 800 }, given(model))
  await learn('Why is grass green?', 'Chlorophyll.')
  const exchange = new TestExchange({ prompt: user('Why is the sky blue?') })
  const asking = host.call.answer(exchange)
  await model.until(2)
  await host.clock.advance(800)
  assert.is(await asking, undefined)
  assert.equal(noted(exchange), ['failed model'])
  const reason = model.cancellations[0]?.reason
  assert.is(reason instanceof Error && `${reason.name}: ${reason.message}`, 'TimeoutError: no vector within 800 ms')
  assert.is(host.offer(health)?.(), 'degraded')

  await host.call.settle(exchange, textAnswer('Scattering.', { model: 'm1' }))
  assert.is(model.asked, 2)
  assert.is((await ask('why is the sky blue')).text, 'Scattering.', 'it is kept under its canonical key')
})

test('an answer that nobody asked for waits no longer for its vector', async () => {
  const model = new HungEmbedder()
  const { host, ask, learn } = await bench({}, given(model))
  await learn('Why is grass green?', 'Chlorophyll.')
  const exchange = new TestExchange({ prompt: user('Why is the sky blue?') })
  const settling = host.call.settle(exchange, textAnswer('Scattering.', { model: 'm1' }))
  await model.until(2)
  await host.clock.advance(1000)
  await settling
  assert.is((await ask('why is the sky blue')).text, 'Scattering.')
})

test('a client that leaves is no failure of the model', async () => {
  const model = new HungEmbedder()
  const { host, learn } = await bench({}, given(model))
  await learn('Why is grass green?', 'Chlorophyll.')
  const cancellation = new Cancellation()
  const asking = host.call.answer(new TestExchange({ prompt: user('Why is the sky blue?'), cancellation }))
  await model.until(2)
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
  host.apply(semanticCache, { model: 'nobody', judge: 'nobody', mode: 'exact' })
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

const CANCEL = 'How do I cancel my gym membership plan?'
const REWORDED = 'How can I cancel the gym membership plan that I have?'
const ENABLE = 'How do I enable dark mode in the settings?'
const DISABLE = 'How do I disable dark mode in the settings?'

test('what was served by cosine alone is judged after a reload', async () => {
  const around = given(new PortableEmbedder())
  const first = await bench({ decide: 'cosine', similarity_threshold: 0.5 }, around)
  await first.learn(ENABLE, 'Enable it.')
  assert.is((await first.ask(DISABLE)).text, 'Enable it.')
  const second = await bench({ similarity_threshold: 0.5 }, { ...around, kept: first.host.kept })
  await first.host.dispose()
  await until('the entry is indexed', async () => noted((await second.ask(DISABLE)).exchange).join() !== 'miss')
  assert.match(noted((await second.ask(DISABLE)).exchange).join(), /^refused opposites/)
})

test('what one threshold found near is not served under a stricter one', async () => {
  const around = given(new PortableEmbedder())
  const first = await bench({}, around)
  await first.learn(CANCEL, 'At the desk.')
  assert.is((await first.ask(REWORDED)).text, 'At the desk.')
  const second = await bench({ similarity_threshold: 1 }, { ...around, kept: first.host.kept })
  await first.host.dispose()
  assert.is((await second.ask(REWORDED)).text, undefined)
})

test('the verdict of an earlier judge is not served again', async () => {
  class Lax extends WordJudge {
    override bar = (): number => 0.1
  }
  class Strict extends WordJudge {
    override bar = (): number => 0.99
  }
  const embedder = new PortableEmbedder()
  const [stored, near] = ['alpha beta gamma delta', 'alpha beta gamma omega']
  const first = await bench(
    { similarity_threshold: 0.3 },
    { models: { embedder, judge: new Lax({ fingerprint: 'one' }) } },
  )
  await first.learn(stored, 'A1')
  assert.is((await first.ask(near)).text, 'A1')
  const judge = new Strict({ fingerprint: 'two' })
  const second = await bench({ similarity_threshold: 0.3 }, { models: { embedder, judge }, kept: first.host.kept })
  await first.host.dispose()
  await second.learn(stored, 'A2')
  assert.is((await second.ask(near)).text, undefined)
})

test('shadow checks of one way to decide leave the bar of another as it is', async () => {
  const around = given(new PortableEmbedder())
  const first = await bench({ decide: 'cosine', shadow_rate: 1 }, around)
  for (let i = 0; i < 40; i++) await first.learn(`${CANCEL} ${i}`, `Answer ${i}.`)
  const second = await bench({}, { ...around, kept: first.host.kept })
  await first.host.dispose()
  assert.ok((await second.ask(REWORDED)).text?.startsWith('Answer'))
})

test('what a request of before a reload learnt from other models is not kept', async () => {
  const embedder = new PortableEmbedder()
  const first = await bench({}, { models: { embedder, judge: new WordJudge({ fingerprint: 'one' }) } })
  const judge = new WordJudge({ fingerprint: 'two' })
  const second = await bench({}, { models: { embedder, judge }, kept: first.host.kept })
  await first.learn(CANCEL, 'Of the old judge.')
  assert.is((await second.ask(CANCEL)).text, undefined)
})

/** Ids of the child processes of this one, by `ps`. */
function children(): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap(line => {
    const [pid, parent, ...command] = line.trim().split(/\s+/)
    return Number(parent) === process.pid && command.join(' ').includes('semantic-cache') ? [Number(pid)] : []
  })
}

test('a reload keeps the engine and what it has indexed', async () => {
  const around = given(new PortableEmbedder())
  const first = await bench({}, around)
  await first.learn(CANCEL, 'At the desk.')
  assert.is((await first.ask(REWORDED)).text, 'At the desk.')
  const before = children()
  const second = await bench({ shadow_rate: 0.1, max_entries: 50 }, { ...around, kept: first.host.kept })
  await first.host.dispose()
  assert.equal(children(), before)
  assert.is(before.length, 1)
  assert.is((await second.ask('can you cancel the gym membership plan I have')).exchange.trail.length, 1)
  assert.is((await second.ask('what about: cancel gym membership plan')).text, undefined)
  assert.is((await second.ask('the gym membership plan: cancel it')).text, 'At the desk.')
  await second.host.dispose()
  await until('the engine is gone with its last generation', () => children().length === 0)
})

test('killing the engine fails no request, and it is rebuilt from the entries', async () => {
  const { ask, learn, host } = await bench({}, given(new PortableEmbedder()))
  await learn(CANCEL, 'At the desk.')
  const asking = Array.from({ length: 20 }, (_, i) => ask(`${REWORDED} ${i}`))
  for (const pid of children()) process.kill(pid, 'SIGKILL')
  await Promise.all(asking)
  await until('it is seen', () => host.offer(health)?.() === 'degraded')
  const { text, exchange } = await ask(REWORDED)
  assert.is(text, undefined)
  assert.equal(noted(exchange), ['miss down'])
  assert.is((await ask(`please ${CANCEL}`)).text, 'At the desk.', 'canonical keys need no engine')
  await host.clock.advance(1000)
  await until('it is back', () => host.offer(health)?.() === 'active')
  assert.is((await ask(REWORDED)).text, 'At the desk.')
  assert.ok((await host.offer(cacheControls)?.stats())?.down)
})

test('where the judge cannot run it says so once, is degraded, and serves the same words', async () => {
  const judge = new WordJudge({ broken: 'no native runtime' })
  const { ask, learn, host } = await bench({}, { models: { embedder: new PortableEmbedder(), judge } })
  assert.is(host.offer(health)?.(), 'degraded')
  await learn(CANCEL, 'At the desk.')
  assert.is((await ask(`please ${CANCEL}`)).text, 'At the desk.')
  assert.is((await ask(REWORDED)).text, undefined)
  assert.is(host.logged.filter(({ level }) => level === 'warn').length, 1)
})

test('a lookup that takes too long is a miss that is counted', async () => {
  const gate = new Gate()
  const judge = new WordJudge({ gate: gate.folder })
  const { ask, learn, host } = await bench({ wait_ms: 30 }, { models: { embedder: new PortableEmbedder(), judge } })
  await learn(CANCEL, 'At the desk.')
  gate.close()
  const asking = ask(REWORDED)
  await until('it is judged', () => gate.asked().some(asked => asked.includes('gym')))
  await host.clock.advance(30)
  const { text, exchange } = await asking
  assert.is(text, undefined)
  assert.equal(noted(exchange), ['miss busy'])
  assert.is((await host.offer(cacheControls)?.stats())?.busy, 1)
  gate.remove()
})

const whyOf = async (host: TestHost<'layer'>, prompt: string, other?: string): Promise<Why> => {
  const explain = host.offer(cacheWhy)
  assert.ok(explain, 'the layer explains itself')
  const exchangeOf = (text: string) => new TestExchange({ prompt: user(text) })
  return explain(exchangeOf(prompt), other === undefined ? undefined : exchangeOf(other))
}

test('explains what it would do, and changes nothing', async () => {
  const { learn, host } = await bench({ similarity_threshold: 0.5 }, given(new PortableEmbedder()))
  await learn(CANCEL, 'At the desk.', { id: 'first' })
  await learn('How do I pay my gym membership plan?', 'By card.', { id: 'second' })
  const before = await host.offer(cacheControls)?.stats()
  const { hit, candidates = [], facts } = await whyOf(host, REWORDED)
  assert.equal(
    [hit, facts?.comparable, facts?.comparable_entries, facts?.bar],
    [true, true, 2, new WordJudge().bar(2, 0.003)],
  )
  assert.equal(
    candidates.map(one => [one.prompt, one.hit]),
    [
      [CANCEL, true],
      ['How do I pay my gym membership plan?', false],
    ],
  )
  const refused = await whyOf(host, 'what is on today')
  assert.equal([refused.hit, refused.because], [false, 'neither looked up nor stored: volatile'])
  assert.equal(await host.offer(cacheControls)?.stats(), before)
})

test('explains likewise where its embedder is asked in the gateway', async () => {
  const models = { embedder: new WordEmbedder(), judge: new WordJudge() }
  const { learn, host } = await bench({}, { models })
  await learn(CANCEL, 'At the desk.')
  const { hit, candidates = [] } = await whyOf(host, REWORDED)
  assert.equal([hit, candidates.map(one => [one.prompt, one.hit])], [true, [[CANCEL, true]]])
  const pair = await whyOf(host, 'How do I enable the dark mode?', 'How do I disable the dark mode?')
  assert.equal([pair.hit, pair.candidates?.[0]?.rule, pair.candidates?.[0]?.probability], [false, 'opposites', 0])
  models.embedder.fails = true
  assert.match((await whyOf(host, REWORDED)).because, 'a model of the semantic cache fails')
})

test('explains that an operator told two prompts apart', async () => {
  const { ask, learn, host } = await bench()
  await learn(CANCEL, 'At the desk.')
  const { exchange } = await ask(REWORDED)
  assert.is((await whyOf(host, REWORDED)).facts?.matched, CANCEL)
  await host.offer(cacheControls)?.forget(exchange.id)
  await learn(CANCEL, 'At the desk.')
  const { hit, because, candidates = [] } = await whyOf(host, REWORDED)
  assert.equal([hit, candidates[0]?.rule], [false, 'separated'])
  assert.match(because, 'refused by the rule "separated"')
})

test('explains the nearest without a judge where the decision is by cosine', async () => {
  const { learn, host } = await bench({ decide: 'cosine' })
  await learn(CANCEL, 'At the desk.')
  const { hit, because, candidates = [], facts } = await whyOf(host, REWORDED)
  assert.equal([hit, candidates[0]?.probability, facts?.bar], [true, undefined, undefined])
  assert.match(because, 'no judge is asked')
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

/** A layer with a store in which a read, once held, waits for `release`. */
async function withHeldReads() {
  const clock = new ManualClock()
  const values = testHost('store', { clock }).apply(memory)
  let held: Promise<void> | undefined
  let waiting = 0
  const shared: Store = {
    ...values,
    get: async key => {
      const found = await values.get(key)
      waiting++
      await held
      waiting--
      return found
    },
  }
  const layer = await bench({ store: 'shared' }, given(new WordEmbedder(), { clock, stores: { shared } }))
  return {
    ...layer,
    values,
    /** Asks, has `change` made while the answer is read, and gives what is served in the end. */
    async askDuring(prompt: string, change: () => Promise<unknown>): Promise<string | undefined> {
      let release = (): void => {}
      held = new Promise(resolve => {
        release = resolve
      })
      const asked = layer.ask(prompt)
      await until('the answer is read', () => waiting > 0)
      held = undefined
      await change()
      release()
      return (await asked).text
    },
  }
}

test('an answer that is forgotten while it is read is not served', async () => {
  const { host, learn, askDuring } = await withHeldReads()
  await learn(CANCEL, 'Wrong.', { id: 'first' })
  assert.is(await askDuring(CANCEL, async () => host.offer(cacheControls)?.forget('first')), undefined)
  await learn(CANCEL, 'Wrong again.', { id: 'second' })
  const changed = async (): Promise<void> => void (await host.offer(cacheControls)?.clear?.())
  assert.is(await askDuring(REWORDED, changed), undefined)
})

test('an answer that cannot be read takes none away that was stored in the meantime', async () => {
  const { host, ask, learn, askDuring, values } = await withHeldReads()
  await learn(CANCEL, 'Old.', { id: 'first' })
  await values.clear?.()
  const replaced = async (): Promise<void> => {
    const exchange = new TestExchange({ id: 'second', prompt: user(CANCEL) })
    await host.call.settle(exchange, textAnswer('New.', { model: 'm1' }))
  }
  await askDuring(CANCEL, replaced)
  const stats = await host.offer(cacheControls)?.stats()
  assert.is(stats?.entries, 1)
  assert.is((await ask(CANCEL)).text, 'New.')
})

test('a shadow check asks anew, and keeps silent about it to the client', async () => {
  const { ask, learn } = await bench({ shadow_rate: 1 })
  await learn('How do I cancel my gym membership plan?', 'At the desk.', { id: 'first' })
  const { text, exchange } = await ask('How can I cancel the gym membership plan that I have?')
  assert.is(text, undefined)
  assert.match(noted(exchange).join(), /^shadow 0\.\d{4} [01]\.\d{4} first$/)
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

test('an answer that may be served until a moment is kept no longer', async () => {
  const { host, ask } = await bench()
  const exchange = new TestExchange({ prompt: user(CANCEL) })
  await host.call.answer(exchange)
  const local = { local: true, freshUntil: host.clock.now() + 60_000 }
  await host.call.settle(exchange, withFacts(textAnswer('At the desk.', { model: 'small' }), local))
  await host.clock.advance(59_000)
  const again = new TestExchange({ prompt: user(CANCEL) })
  assert.is((await host.call.answer(again))?.facts.local, true)
  await host.clock.advance(2_000)
  assert.is((await ask(CANCEL)).text, undefined)
})

for (const local of [false, true])
  test(`shadow checks ${local ? 'do not ' : ''}learn from answers of ${local ? 'a local model' : 'a vendor'}`, async () => {
    const { host, learn } = await bench({ shadow_rate: 1 })
    await learn(CANCEL, 'At the desk.')
    for (let i = 0; i < 60; i++) {
      const exchange = new TestExchange({ prompt: user(REWORDED) })
      await host.call.answer(exchange)
      if (!noted(exchange).join().startsWith('shadow')) break
      const facts = { local, freshUntil: host.clock.now() + 1000 }
      await host.call.settle(exchange, withFacts(textAnswer('The moon is far away.', { model: 'm1' }), facts))
      await host.clock.advance(2000)
    }
    assert.is(
      host.logged.some(({ message }) => message.includes('stricter')),
      !local,
    )
  })

test.run()
