import {
  type Answer,
  type AnswerEvent,
  type AttemptOutcome,
  Cancellation,
  type ChatFormat,
  type Frame,
  liveAnswer,
  type Provider,
  ProviderError,
  promptOf,
  type Usage,
} from 'deflector'
import { plainFormat, plainPrompt, TestExchange, testHost } from 'deflector/contracts/host'
import { callUsage, NOTHING_USED } from 'deflector/formats/call-usage'
import { messages } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cloud from '../../../../plugins/layers/cloud/index.ts'
import { type Act, type Double, fails, provider, settled } from './double.ts'

const START: AnswerEvent = { type: 'start', id: 'a1', model: 'm', created: 1 }
const END: readonly AnswerEvent[] = [{ type: 'stop', stop: { reason: 'stop' } }, { type: 'end' }]
const text = (words: string): AnswerEvent => ({ type: 'text', text: words })
const usage = (input: number, output: number): AnswerEvent => ({ type: 'usage', usage: { input, output } })

/** Streams these events, each in a frame of its own, and then breaks off, unless they end. */
const streams =
  (events: readonly AnswerEvent[], format = 'another', error?: ProviderError): Act =>
  ({ cancellation }) => {
    async function* source(): AsyncGenerator<Frame> {
      for (const event of [START, ...events]) {
        cancellation.throwIfCancelled()
        yield { events: [event], wire: `${JSON.stringify(event)}\n` }
      }
      if (events.at(-1)?.type !== 'end') throw error ?? new ProviderError('network', 'the line is gone')
    }
    return liveAnswer({ format, source: source() })
  }

interface Told {
  readonly events: readonly AnswerEvent[]
  readonly text: string
  readonly error: unknown
  readonly answer: Answer
  readonly outcomes: readonly (AttemptOutcome & { readonly provider: string })[]
  /** Tokens of all attempts, as the books count them. */
  readonly booked: Pick<Usage, 'input' | 'output'>
}

/** Asks the layer for a stream and reads it to its end. */
async function told(
  providers: Record<string, Provider>,
  { options = {}, format = plainFormat, body }: { options?: object; format?: ChatFormat; body?: object } = {},
): Promise<Told> {
  const outcomes: (AttemptOutcome & { provider: string })[] = []
  const booked = { input: 0, output: 0 }
  const host = testHost('layer', {
    name: 'cloud',
    providers,
    flow: hooks =>
      hooks.attempted.tap('books', (_, attempt, outcome) => {
        outcomes.push({ ...outcome, provider: attempt.provider })
        const { usage } = callUsage(attempt, outcome, () => 0) ?? NOTHING_USED
        booked.input += usage.input
        booked.output += usage.output
      }),
  })
  host.apply(cloud, { chain: Object.keys(providers), max_attempts: 1, ...options })
  const prompt = body
    ? promptOf(format, Buffer.from(JSON.stringify(body)), body)
    : plainPrompt('hello', { stream: true })
  const answer = await host.call.answer(new TestExchange({ prompt }))
  if (answer?.kind !== 'live') throw new Error('no live answer')
  const events: AnswerEvent[] = []
  let error: unknown
  try {
    for await (const frame of answer.frames()) events.push(...frame.events)
  } catch (thrown) {
    error = thrown
  }
  await settled()
  await host.dispose()
  return { events, text: wordsOf(events), error, answer, outcomes, booked }
}

const wordsOf = (events: readonly AnswerEvent[]): string =>
  events.map(event => (event.type === 'text' ? event.text : '')).join('')

const usagesIn = (events: readonly AnswerEvent[]): Usage[] =>
  events.flatMap(event => (event.type === 'usage' ? [event.usage] : []))

const broken = [text('one '), text('two ')]

test('an answer that begins with what was sent goes on where the first one broke off', async () => {
  const second = provider([streams([text('one'), text(' two three'), text(' four'), ...END])])
  const { events, error, answer } = await told({ first: provider([streams(broken)]), second })
  assert.is(error, undefined)
  assert.equal(
    events.flatMap(event => (event.type === 'text' ? [event.text] : [])),
    ['one ', 'two ', 'three', ' four'],
  )
  assert.is(events.filter(({ type }) => type === 'start').length, 1)
  const whole = answer.kind === 'live' ? await answer.whole : undefined
  assert.equal(whole?.completion.blocks, [{ type: 'text', text: 'one two three four' }])
  assert.is(whole?.completion.id, 'a1')
})

test('the first difference ends it with what broke the first one, and the second call is given up', async () => {
  const second = provider([streams([text('one '), text('too '), text('many'), ...END])])
  const third = provider([streams([text('one two three'), ...END])])
  const first = provider([streams(broken)])
  const { text: words, error, outcomes } = await told({ first, second, third })
  assert.is(words, 'one two ')
  assert.match(String(error), 'the line is gone')
  assert.is(third.calls.length, 0)
  assert.ok(second.calls[0]?.cancellation.cancelled)
  assert.equal(
    outcomes.map(({ provider, outcome }) => [provider, outcome]),
    [
      ['first', 'failed'],
      ['second', 'cancelled'],
    ],
  )
})

test('an answer that is shorter than what was sent is another one', async () => {
  const second = provider([streams([text('one '), ...END])])
  assert.match(String((await told({ first: provider([streams(broken)]), second })).error), 'the line is gone')
})

test('what all attempts cost is told once, and the books have each of them', async () => {
  const { events, outcomes, booked } = await told({
    first: provider([streams([usage(7, 2), ...broken])]),
    second: provider([streams([usage(8, 1), text('one two three'), usage(8, 4), ...END])]),
  })
  const usages = usagesIn(events)
  assert.equal(usages.at(-1), { input: 15, output: 6, guessed: true })
  assert.is(usages.length, 2)
  assert.equal(booked, { input: 15, output: 6 })
  assert.equal(
    outcomes.map(({ provider, outcome, usage }) => [provider, outcome, usage]),
    [
      ['first', 'failed', { input: 7, output: 2 }],
      ['second', 'answered', { input: 8, output: 4 }],
    ],
  )
})

test('what vendors did not count of an attempt is told as the books guess it', async () => {
  const first = (): Double => provider([streams(broken)])
  const longer = [text('one two three '), text('four ')]
  const end = [text('one two three four five'), usage(100, 70), ...END]
  for (const chain of [
    { first: first(), second: provider([streams(end)]) },
    { first: first(), second: provider([streams(longer)]), third: provider([streams(end)]) },
  ]) {
    const { events, booked } = await told(chain)
    assert.equal(usagesIn(events), [{ ...booked, guessed: true }])
    assert.ok(booked.input > 100 && booked.output > 70)
  }
  // Where the last one counted nothing, a part of the sum would look like all of it.
  const uncounted = await told({ first: first(), second: provider([streams([text('one two three'), ...END])]) })
  assert.equal(usagesIn(uncounted.events), [])
})

test('without another provider the same one is asked again, but not one that stalled', async () => {
  const again = streams([text('one two three'), ...END])
  const alone = provider([streams(broken), again])
  assert.is((await told({ alone })).text, 'one two three')
  const stalled = provider([streams(broken, 'another', new ProviderError('timeout', 'nothing came')), again])
  assert.ok((await told({ stalled })).error)
  assert.is(stalled.calls.length, 1)
})

test('a second break is gone on with as well, a third is not', async () => {
  const longer = [text('one two three '), text('four ')]
  const end = streams([text('one two three four five'), ...END])
  const first = provider([streams(broken)])
  assert.is(
    (await told({ first, second: provider([streams(longer)]), third: provider([end]) })).text,
    'one two three four five',
  )
  const { error } = await told({
    first: provider([streams(broken)]),
    second: provider([streams(longer)]),
    third: provider([streams([text('one two three four five'), text(' six')])]),
    fourth: provider([end]),
  })
  assert.match(String(error), 'the line is gone')
})

const CALL: AnswerEvent = { type: 'tool_call', index: 0, id: 'c1', name: 'find' }
const args = (words: string): AnswerEvent => ({ type: 'tool_args', index: 0, text: words })

/** What no other answer begins with, even where it says the same. */
const UNREPEATABLE: readonly (readonly [string, readonly AnswerEvent[]])[] = [
  ['a tool call that has begun', [text('so: '), CALL, args('{"a"')]],
  ['signed reasoning', [{ type: 'reasoning', text: 'hm' }, { type: 'signature', signature: 's1' }, text('so')]],
  ['redacted reasoning', [{ type: 'signature', redacted: 'r1' }, text('so')]],
  ['what the vendor did by itself', [{ type: 'opaque', format: 'another', value: { id: 'x' } }, text('so')]],
]

for (const [what, sent] of UNREPEATABLE)
  test(`a stream with ${what} ends where it breaks off, and nobody is called again`, async () => {
    const second = provider([streams([...sent, text(' it is'), ...END])])
    const { error } = await told({ first: provider([streams(sent)]), second })
    assert.match(String(error), 'the line is gone')
    assert.is(second.calls.length, 0)
    // Nor where the second attempt said it.
    const third = provider([streams([text('one two '), ...sent, text(' it is'), ...END])])
    const again = provider([streams([text('one two '), ...sent])])
    const twice = await told({ first: provider([streams(broken)]), again, third })
    assert.match(String(twice.error), 'the line is gone')
    assert.equal([again.calls.length, third.calls.length], [1, 0])
  })

test('a new answer may go on with a tool call', async () => {
  const second = provider([streams([text('one two '), CALL, args('{"a":1}'), ...END])])
  const { events, error } = await told({ first: provider([streams(broken)]), second })
  assert.is(error, undefined)
  assert.equal(
    events.filter(({ type }) => type.startsWith('tool')),
    [CALL, args('{"a":1}')],
  )
})

test('a refusal in mid-stream goes nowhere, nor does a stream that has said why it stopped', async () => {
  for (const act of [
    streams(broken, 'another', new ProviderError('bad_request', 'filtered')),
    streams([...broken, { type: 'stop', stop: { reason: 'stop' } }]),
  ]) {
    const second = provider([streams([text('one two three'), ...END])])
    assert.ok((await told({ first: provider([act]), second })).error)
    assert.is(second.calls.length, 0)
  }
})

test('stream_resume = off ends a stream where it breaks off', async () => {
  const second = provider([streams([text('one two three'), ...END])])
  const { error } = await told({ first: provider([streams(broken)]), second }, { options: { stream_resume: 'off' } })
  assert.ok(error)
  assert.is(second.calls.length, 0)
})

const MESSAGES = {
  model: 'claude-sonnet-4-5',
  max_tokens: 9,
  stream: true,
  messages: [{ role: 'user', content: 'hi' }],
}

test('with prefill a vendor that documents it goes on with what was sent', async () => {
  const first = provider([streams([text('one '), text('two')])])
  const second = { ...provider([streams([text(' three'), ...END])]), continues: () => true }
  const options = { stream_resume: 'prefill' }
  const { text: words } = await told({ first, second }, { options, format: messages, body: MESSAGES })
  assert.is(words, 'one two three')
  assert.equal(second.calls[0]?.prompt.body.messages, [...MESSAGES.messages, { role: 'assistant', content: 'one two' }])
})

test('a vendor that refuses prefill is asked for all of it, and one that does not document it is not given any', async () => {
  const options = { stream_resume: 'prefill' }
  const refusing = {
    ...provider([fails('bad_request'), streams([text('one two three'), ...END])]),
    continues: () => true,
  }
  const given = { options, format: messages, body: MESSAGES }
  assert.is((await told({ first: provider([streams(broken)]), refusing }, given)).text, 'one two three')
  assert.is(refusing.calls.length, 2)
  const plain = provider([streams([text('one two three'), ...END])])
  assert.is((await told({ first: provider([streams(broken)]), plain }, given)).text, 'one two three')
  assert.equal(plain.calls[0]?.prompt.body.messages, MESSAGES.messages)
})

test('with stream_hold nobody sees a stream before it is whole, and a broken one is any failure', async () => {
  const first = provider([streams(broken)])
  const second = provider([streams([text('something else'), ...END])])
  const { text: words, error, answer } = await told({ first, second }, { options: { stream_hold: true } })
  assert.is(words, 'something else')
  assert.is(error, undefined)
  assert.is(answer.facts.provider, 'second')
})

test('clients who joined read one and the same answer', async () => {
  const host = testHost('layer', {
    name: 'cloud',
    providers: { first: provider([streams(broken)]), second: provider([streams([text('one two three'), ...END])]) },
  })
  host.apply(cloud, { chain: ['first', 'second'], max_attempts: 1 })
  const prompt = plainPrompt('hello', { stream: true })
  const answers = await Promise.all(
    ['r1', 'r2', 'r3'].map(id => host.call.answer(new TestExchange({ id, prompt, cancellation: new Cancellation() }))),
  )
  const texts = await Promise.all(
    answers.map(async answer => {
      if (answer?.kind !== 'live') throw new Error('no live answer')
      const events: AnswerEvent[] = []
      for await (const frame of answer.frames()) events.push(...frame.events)
      return wordsOf(events)
    }),
  )
  assert.equal(texts, ['one two three', 'one two three', 'one two three'])
  await host.dispose()
})

test.run()
