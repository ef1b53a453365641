import { type Answer, Cancellation, promptOf, type Writer, type WritingTask, type WrittenText } from 'deflector'
import { health } from 'deflector/facets/health'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import slm from '../../../../plugins/layers/slm/index.ts'
import { TestExchange, type TestHost, testHost } from '../../../contracts/host.ts'
import { checkLayer } from '../../../contracts/layer.ts'

type Reply = WrittenText | Error | 'nothing'

/** Writes what its script says; `nothing` never comes. */
class ScriptedWriter implements Writer {
  readonly tasks: WritingTask[] = []
  readonly cancellations: (Cancellation | undefined)[] = []

  constructor(
    readonly model: string,
    public reply: (task: WritingTask) => Reply,
  ) {}

  write(task: WritingTask, cancellation?: Cancellation): Promise<WrittenText> {
    this.tasks.push(task)
    this.cancellations.push(cancellation)
    const reply = this.reply(task)
    if (reply === 'nothing') return new Promise(() => {}) // deaf to its cancellation, too
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply)
  }
}

const said = (text: string): WrittenText => ({ text, finish: 'stop' })
const intent = (text = 'SNIPPET'): ScriptedWriter => new ScriptedWriter('intent-1', () => said(text))
const writing = (text = 'Seven is a prime number.'): ScriptedWriter => new ScriptedWriter('small-1', () => said(text))

const OPTIONS = { enabled: true, writer: 'small', intent_model: 'intent' }

const encoder = new TextEncoder()
function request(more: object = {}, facts: ConstructorParameters<typeof TestExchange>[0] = {}): TestExchange {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Is 7 prime?' }], ...more }
  return new TestExchange({ prompt: promptOf(chatCompletions, encoder.encode(JSON.stringify(body)), body), ...facts })
}

interface Under {
  readonly host: TestHost<'layer'>
  readonly small: ScriptedWriter
  readonly asked: ScriptedWriter
  ask(more?: object, facts?: ConstructorParameters<typeof TestExchange>[0]): Promise<Answered>
}

interface Answered {
  readonly exchange: TestExchange
  readonly answer: Answer | undefined
  readonly text: string | undefined
  readonly note: string | undefined
}

async function withLayer(
  given: { readonly small?: ScriptedWriter; readonly asked?: ScriptedWriter; readonly options?: object },
  run: (under: Under) => Promise<void>,
): Promise<void> {
  const { small = writing(), asked = intent(), options = {} } = given
  const host = testHost('layer', { models: { small, intent: asked } })
  host.apply(slm, { ...OPTIONS, ...options })
  try {
    await host.start()
    host.ready()
    await run({ host, small, asked, ask: (more, facts) => answered(host, request(more, facts)) })
  } finally {
    await host.dispose()
  }
}

async function answered(host: TestHost<'layer'>, exchange: TestExchange): Promise<Answered> {
  const answer = await host.call.answer(exchange)
  return { exchange, answer, text: answer && textOf(answer), note: exchange.notes.at(-1) }
}

function textOf(answer: Answer): string {
  if (answer.kind !== 'whole') throw new Error(`a ${answer.kind} answer`)
  return answer.completion.blocks.map(block => (block.type === 'text' ? block.text : '')).join('')
}

checkLayer(slm, {
  options: OPTIONS,
  around: () => ({ models: { small: writing(), intent: intent('COMPLEX') } }),
  passesOn: () => request(),
})

test('what is disabled taps nothing and asks for no model', async () => {
  const host = testHost('layer')
  host.apply(slm, { writer: 'nobody' })
  await host.start()
  host.ready()
  assert.equal(host.tapped, [])
  assert.is(host.offer(health)?.(), 'disabled')
  await host.dispose()
})

test('classification reads the system prompt and the last message, generation all of it', () =>
  withLayer({}, async ({ ask, asked, small }) => {
    const { text, note, answer } = await ask({
      temperature: 0.3,
      max_tokens: 50,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Is 6 prime?' },
        { role: 'assistant', content: 'No.' },
        { role: 'user', content: 'Is 7 prime?' },
      ],
    })
    assert.is(text, 'Seven is a prime number.')
    assert.is(note, 'simple snippet')
    const [classification] = asked.tasks
    assert.match(classification?.system ?? '', /TEMPLATE.*SNIPPET.*COMPLEX/s)
    assert.equal(classification?.turns, [{ role: 'user', text: 'Setting:\nBe brief.\n\nRequest:\nIs 7 prime?' }])
    assert.is(classification?.temperature, 0)
    assert.equal(small.tasks, [
      {
        system: 'Be brief.',
        turns: [
          { role: 'user', text: 'Is 6 prime?' },
          { role: 'assistant', text: 'No.' },
          { role: 'user', text: 'Is 7 prime?' },
        ],
        temperature: 0.3,
        maxTokens: 50,
      },
    ])
    assert.is(answer?.facts.provider, undefined)
    assert.is(answer?.kind === 'whole' && answer.completion.model, 'small-1')
  }))

test('a long last message is cut in its middle for classification, and a long conversation is not answered', () =>
  withLayer({ options: { max_prompt_chars: 10_000 } }, async ({ ask, asked }) => {
    await ask({ messages: [{ role: 'user', content: `${'a'.repeat(6000)} the end` }] })
    const [{ text = '' } = {}] = asked.tasks[0]?.turns ?? []
    assert.ok(text.length < 4100)
    assert.match(text, / the end$/)
    const { note } = await ask({ messages: [{ role: 'user', content: 'a'.repeat(10_001) }] })
    assert.is(note, 'declined long')
    assert.is((await ask({ metadata: { pad: 'a'.repeat(200_000) } })).note, 'declined long')
    assert.is(asked.tasks.length, 1)
  }))

test('the client’s own limit of tokens counts where it is the lower one', () =>
  withLayer({ options: { max_answer_tokens: 100 } }, async ({ ask, small }) => {
    await ask({ max_tokens: 50 })
    await ask({ max_tokens: 500 })
    await ask()
    assert.equal(
      small.tasks.map(({ maxTokens }) => maxTokens),
      [50, 100, 100],
    )
  }))

test('requests that a text cannot answer never reach a model', () =>
  withLayer({}, async ({ ask, asked, small }) => {
    const image = { type: 'image_url', image_url: { url: 'https://e.example/a.png' } }
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }
    const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }
    const user = { role: 'user', content: 'Hi' }
    const cases: [string, object, ConstructorParameters<typeof TestExchange>[0]?][] = [
      ['declined tools', { tools: [tool] }],
      ['declined not_text', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, image] }] }],
      [
        'declined not_text',
        {
          messages: [
            user,
            { role: 'assistant', content: null, tool_calls: [call] },
            { role: 'tool', tool_call_id: 'c', content: 'x' },
          ],
        },
      ],
      [
        'declined not_text',
        { messages: [user, { role: 'assistant', content: 'Yes?' }, { role: 'system', content: 'x' }, user] },
      ],
      ['declined no_question', { messages: [user, { role: 'assistant', content: 'I beg' }] }],
      ['declined no_question', { messages: [{ role: 'user', content: ' ' }] }],
      ['declined unreadable', { messages: [{ role: 'user', content: 7 }] }],
      ['declined more_than_text', { n: 2 }],
      ['declined more_than_text', { logprobs: true }],
      ['declined vendor_state', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } }],
      ['declined tools', { web_search_options: {} }],
      ['declined named_provider', {}, { route: { provider: 'main', named: true } }],
      ['declined odd_limit', { max_tokens: -1 }],
      ['declined odd_limit', { max_completion_tokens: 0 }],
      ['declined odd_limit', { max_tokens: 1.5 }],
    ]
    for (const [expected, more, facts] of cases) {
      const { note, answer } = await ask(more, facts)
      assert.is(note, expected, JSON.stringify(more))
      assert.is(answer, undefined)
    }
    assert.is(asked.tasks.length + small.tasks.length, 0)
  }))

test('a provider that a rule chose is no reason to ask it', () =>
  withLayer({}, async ({ ask }) => {
    const { text } = await ask({}, { route: { provider: 'main', localRule: 'confidential' } })
    assert.is(text, 'Seven is a prime number.')
  }))

test('who only asks the caches waits for no model', () =>
  withLayer({}, async ({ ask, asked }) => {
    assert.is((await ask({}, { kind: 'lookup' })).answer, undefined)
    assert.is(asked.tasks.length, 0)
  }))

test('a schema that can be checked goes to the model, and any other to the cloud', () =>
  withLayer({ small: writing('{"title": "Primes"}') }, async ({ ask, small }) => {
    const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
    const format = (given: object) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'title', schema: given } },
    })
    assert.is((await ask(format(schema))).text, '{"title": "Primes"}')
    const [task] = small.tasks
    assert.equal(task?.schema, schema)
    assert.is(task?.json, true)
    assert.match(task?.system ?? '', JSON.stringify(schema))
    assert.is((await ask(format({ ...schema, required: ['name'] }))).note, 'rejected not_json')
    assert.is((await ask(format({ ...schema, patternProperties: {} }))).note, 'declined schema')
  }))

test('an answer ends before the first of the client’s stop sequences', () =>
  withLayer({ small: writing('Seven is prime. END of it; STOP here.') }, async ({ ask }) => {
    const { answer, text } = await ask({ stop: ['STOP', 'END'] })
    assert.is(text, 'Seven is prime.')
    assert.equal(answer?.kind === 'whole' && answer.completion.stop, { reason: 'stop_sequence', sequence: 'END' })
  }))

test('an answer that a stop sequence makes too short is rejected', () =>
  withLayer({ small: writing('Yes. END Seven is prime.') }, async ({ ask }) => {
    assert.is((await ask({ stop: 'END' })).note, 'rejected short')
  }))

test('the answer has its own short time in caches', () =>
  withLayer({ options: { answer_ttl_secs: 7 } }, async ({ ask, host }) => {
    const { answer } = await ask()
    assert.is(answer?.facts.local, true)
    assert.is(answer?.facts.freshUntil, host.clock.now() + 7000)
  }))

test('a server that counts no tokens has them guessed', () =>
  withLayer({}, async ({ ask, small }) => {
    const usage = async () => {
      const { answer } = await ask()
      return answer?.kind === 'whole' ? answer.completion.usage : undefined
    }
    assert.equal(await usage(), { input: 3, output: 6, guessed: true })
    small.reply = () => ({ ...said('Seven is a prime number.'), usage: { input: 20, output: 7 } })
    assert.equal(await usage(), { input: 20, output: 7 })
  }))

test('binary has its own labels', () =>
  withLayer({ asked: intent('SIMPLE'), options: { mode: 'binary' } }, async ({ ask, asked }) => {
    assert.is((await ask()).note, 'simple simple')
    assert.not.match(asked.tasks[0]?.system ?? '', /TEMPLATE/)
    asked.reply = () => said('SNIPPET')
    assert.is((await ask()).note, 'complex no_label')
  }))

test('a hanging model: the first request waits as long as the limit says, the next ones not at all', () =>
  withLayer({ options: { timeout_secs: 30 } }, async ({ ask, asked, host }) => {
    asked.reply = () => 'nothing'
    const began = host.clock.monotonic()
    const first = ask()
    await host.clock.advance(29_999)
    assert.is(await ended(first), false)
    await host.clock.advance(1)
    assert.is((await first).note, 'model_late')
    assert.is(host.clock.monotonic() - began, 30_000)
    assert.is(host.offer(health)?.(), 'degraded')
    for (let i = 0; i < 5; i++) assert.is((await ask()).note, 'model_down')
    assert.is(asked.tasks.length, 1, 'no further request went to it')
    assert.is(host.clock.monotonic() - began, 30_000, 'and none waited')
  }))

test('one probe at a time half-opens it, and its success closes it', () =>
  withLayer({ options: { timeout_secs: 30 } }, async ({ ask, asked, host }) => {
    asked.reply = () => 'nothing'
    const first = ask()
    await host.clock.advance(30_000)
    await first
    await host.clock.advance(20_000)
    assert.is(asked.tasks.length, 2, 'one probe, which hangs as well')
    assert.is(asked.tasks[1]?.maxTokens, 1)
    assert.is((await ask()).note, 'model_down', 'requests do not wait for a probe')
    await host.clock.advance(60_000)
    assert.is((await ask()).note, 'model_down')
    asked.reply = () => said('SNIPPET')
    await host.clock.advance(60_000)
    assert.is(host.offer(health)?.(), 'active')
    assert.is((await ask()).text, 'Seven is a prime number.')
  }))

test('a time-out lets all others go that wait for the same model', () =>
  withLayer({ options: { timeout_secs: 30, max_waiting: 3 } }, async ({ ask, asked, host }) => {
    asked.reply = () => 'nothing'
    const first = ask()
    await host.clock.advance(20_000)
    const others = [ask({ seed: 1 }), ask({ seed: 2 })]
    await host.clock.advance(10_000)
    assert.is((await first).note, 'model_late')
    assert.equal(
      (await Promise.all(others)).map(({ note }) => note),
      ['model_down', 'model_down'],
    )
    assert.ok(asked.cancellations.every(cancellation => cancellation?.cancelled))
  }))

test('both phases share the limit', () =>
  withLayer({ options: { timeout_secs: 30 } }, async ({ ask, asked, small, host }) => {
    let classify: (written: WrittenText) => void = () => {}
    asked.write = () =>
      new Promise(resolve => {
        classify = resolve
      })
    small.reply = () => 'nothing'
    const first = ask()
    await host.clock.advance(10_000)
    classify(said('SNIPPET'))
    await host.clock.advance(19_999)
    assert.is(await ended(first), false)
    await host.clock.advance(1)
    assert.is((await first).note, 'model_late')
    assert.is((await ask()).note, 'model_down', 'what writes is down, and so nothing is classified')
  }))

test('of two models that share the limit, the one that used most of it is too slow', () =>
  withLayer({ options: { timeout_secs: 30 } }, async ({ ask, asked, small, host }) => {
    const waits: number[] = []
    small.reply = () => 'nothing'
    for (let i = 0; i < 5; i++) {
      let classify: (written: WrittenText) => void = () => {}
      asked.write = () =>
        new Promise(resolve => {
          classify = resolve
        })
      const slow = ask()
      await host.clock.advance(29_000)
      classify(said('SNIPPET'))
      await host.clock.advance(1000)
      assert.is((await slow).note, 'model_late')
      const began = host.clock.monotonic()
      asked.write = ScriptedWriter.prototype.write
      while (host.offer(health)?.() === 'degraded') await host.clock.advance(5)
      waits.push(host.clock.monotonic() - began)
    }
    assert.is(asked.tasks.length, 5, 'it is the one that is probed')
    assert.ok(
      small.tasks.every(({ maxTokens }) => maxTokens > 1),
      'and the other one is not',
    )
    assert.ok((waits[4] ?? 0) > 4 * (waits[0] ?? 0), 'after ever longer steps, as a late answer is no success')
  }))

test('no more requests wait than may', () =>
  withLayer({ options: { max_waiting: 2 } }, async ({ ask, asked, host }) => {
    asked.reply = () => 'nothing'
    const waiting = [ask({ seed: 1 }), ask({ seed: 2 })]
    assert.is((await ask({ seed: 3 })).note, 'model_busy')
    await host.clock.advance(30_000)
    await Promise.all(waiting)
  }))

test('equal requests at the same time share one run, and each has an answer of its own', () =>
  withLayer({ options: { max_waiting: 1 } }, async ({ ask, asked, small }) => {
    const both = await Promise.all([ask({}, { id: 'one' }), ask({ user: 'ada', stream: true }, { id: 'two' })])
    assert.equal(
      both.map(({ note, answer }) => [note, answer?.kind === 'whole' && answer.completion.id]),
      [
        ['simple snippet', 'one'],
        ['simple snippet', 'two'],
      ],
    )
    assert.is(asked.tasks.length + small.tasks.length, 2)
    await ask()
    assert.is(small.tasks.length, 2, 'what comes later is asked anew')
  }))

test('requests of different tenants, or for different answers, share nothing', () =>
  withLayer({}, async ({ ask, small }) => {
    const other = { role: 'user', content: 'Is 9 prime?' }
    await Promise.all([ask(), ask({}, { tenant: 'a' }), ask({}, { tenant: 'b' }), ask({ messages: [other] })])
    assert.is(small.tasks.length, 4)
  }))

test('a run goes on while one of its clients waits, whoever began it', () =>
  withLayer({}, async ({ ask, asked, host }) => {
    let classify: (written: WrittenText) => void = () => {}
    const seen: (Cancellation | undefined)[] = []
    asked.write = (_, cancellation) => {
      seen.push(cancellation)
      return new Promise(resolve => {
        classify = resolve
      })
    }
    const [one, two, three] = [new Cancellation(), new Cancellation(), new Cancellation()]
    const asking = [ask({}, { cancellation: one }), ask({}, { cancellation: two })]
    one.cancel(new Error('left'))
    assert.is((await asking[0])?.note, 'model_left')
    assert.is(seen[0]?.cancelled, false)
    classify(said('SNIPPET'))
    assert.is((await asking[1])?.note, 'simple snippet')
    const last = ask({}, { cancellation: three })
    three.cancel(new Error('left'))
    assert.is((await last).note, 'model_left')
    assert.ok(seen[1]?.cancelled)
    assert.is(host.clock.sleeping, 0, 'no timer stays')
    assert.is(host.offer(health)?.(), 'active')
  }))

test('a client that leaves ends its call, which says nothing of the model', () =>
  withLayer({}, async ({ ask, asked, host }) => {
    asked.reply = () => 'nothing'
    const cancellation = new Cancellation()
    const asking = ask({}, { cancellation })
    cancellation.cancel(new Error('left'))
    assert.is((await asking).note, 'model_left')
    assert.ok(asked.cancellations[0]?.cancelled)
    assert.is(host.offer(health)?.(), 'active')
    assert.is(host.clock.sleeping, 0, 'no timer stays')
  }))

test('a refused task is no failure of the model, and is warned about once', () =>
  withLayer({}, async ({ ask, small, host }) => {
    small.reply = () => Object.assign(new Error('too long'), { name: 'Refusal' })
    assert.is((await ask()).note, 'model_refused')
    assert.is((await ask()).note, 'model_refused')
    assert.is(host.offer(health)?.(), 'active')
    assert.is(host.logged.filter(({ level }) => level === 'warn').length, 1)
  }))

test('a model that serves both phases is away for both', async () => {
  const one = new ScriptedWriter('both-1', ({ maxTokens }) =>
    said(maxTokens < 10 ? 'TEMPLATE' : 'Seven is a prime number.'),
  )
  await withLayer({ small: one, options: { intent_model: undefined } }, async ({ ask, host }) => {
    assert.is((await ask()).note, 'simple template')
    one.reply = () => new Error('away')
    assert.is((await ask()).note, 'model_failed')
    assert.is(host.logged.filter(({ level }) => level === 'warn').length, 1)
  })
})

test('the trace has the classification as a part of its own, without the prompt', async () => {
  const { traces } = await import('deflector')
  const seen: { span: string | undefined; attributes: object }[] = []
  const listen = (message: unknown): void => {
    const { span, row } = message as { span: string | undefined; row: { attributes?: Map<string, unknown> } }
    seen.push({ span, attributes: Object.fromEntries(row.attributes ?? []) })
  }
  traces.taps.asyncEnd.subscribe(listen)
  try {
    await withLayer({}, async ({ ask }) => {
      const { exchange } = await ask()
      assert.equal(Object.fromEntries(exchange.attributes), { 'slm.complexity_score': 0 })
    })
  } finally {
    traces.taps.asyncEnd.unsubscribe(listen)
  }
  assert.equal(seen, [
    {
      span: 'l2_classify_intent',
      attributes: {
        'router.backend': 'embedded_candle',
        'router.model': 'intent-1',
        prompt_len: 'Request:\nIs 7 prime?'.length,
        'router.decision': 'SNIPPET',
      },
    },
    { span: 'layer2_slm', attributes: {} }, // a test exchange has its attributes apart
  ])
})

test('an enabled layer without its models is refused with the option to set', () => {
  const apply = (options: object, models = { small: writing() }): void => {
    testHost('layer', { models: { ...models, embedder: EMBEDDER } }).apply(slm, { enabled: true, ...options })
  }
  assert.throws(() => apply({}), /the layer "under-test" is enabled and needs the option "writer"/)
  assert.throws(() => apply({ writer: 'embedder' }), /the model "embedder" of the layer "under-test" must write/)
  assert.throws(() => apply({ writer: 'small', classifier: 'heads' }), /needs the option "embedder"/)
  assert.throws(() => apply({ writer: 'small', classifier: 'heads', embedder: 'small' }), /must embed/)
})

const EMBEDDER = { dimensions: 384, embed: async () => [] }

/** Is it over by now? */
async function ended(work: Promise<unknown>): Promise<boolean> {
  const not = Symbol('not')
  return (await Promise.race([work, new Promise(resolve => setImmediate(resolve, not))])) !== not
}

test.run()
