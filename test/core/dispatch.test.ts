import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Cancellation } from '../../core/cancellation.ts'
import { type Answer, bytesAnswer, type LiveAnswer, textAnswer, wholeAnswer } from '../../core/chat/answer.ts'
import type { AnswerEvent } from '../../core/chat/answer-event.ts'
import type { Usage } from '../../core/chat/completion.ts'
import type { ChatFormat } from '../../core/chat/format.ts'
import { liveAnswer } from '../../core/chat/live-answer.ts'
import { promptOf } from '../../core/chat/prompt.ts'
import type { Frame } from '../../core/chat/stream.ts'
import { dispatch } from '../../core/dispatch.ts'
import { GatewayError, isGatewayError } from '../../core/errors.ts'
import type { Exchange } from '../../core/exchange.ts'
import { Flow } from '../../core/flow.ts'
import type { LayerHooks, Log } from '../../core/host.ts'
import type { Attempt, AttemptOutcome, CallSpec, Provider, ProviderCall } from '../../core/provider.ts'
import { isProviderError, ProviderError } from '../../core/provider-error.ts'
import { Taps } from '../../core/taps.ts'
import { asTestExchange, TestExchange } from '../contracts/exchange.ts'
import { plainFormat, plainPrompt } from '../contracts/plain-format.ts'

/** A flow whose last layer asks one provider, with what happens written down in order. */
class Stage {
  readonly lines: string[] = []
  readonly seen: { attempt: Attempt; outcome: AttemptOutcome }[] = []
  readonly logged: { level: string; message: string; fields: Record<string, unknown> | undefined }[] = []
  readonly log: Log
  readonly flow: Flow
  /** That of the vendor's call: cancelled when all clients have left. */
  readonly cancellation = new Cancellation()
  readonly exchange = new TestExchange({ id: 'r1' })

  constructor(
    readonly complete: Provider['complete'],
    readonly spec: Partial<CallSpec> = {},
  ) {
    const line =
      (level: keyof Log): Log['info'] =>
      (message, fields) =>
        void this.logged.push({ level, message, fields })
    this.log = {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
    }
    this.flow = new Flow('test', this.log)
  }

  layer(name: string, wire: (hooks: LayerHooks) => void, observes = false): this {
    const taps = new Taps({ name, label: `label-${name}`, deflects: false, observes, file: `/plugins/${name}.ts` })
    wire(taps.hooks)
    taps.replay(this.flow.hooks)
    return this
  }

  /** A layer with a tap of `attempt` that writes its name down, then does what it is given. */
  quota(name: string, does: (attempt: Attempt, exchange: Exchange) => void | Promise<void> = () => {}): this {
    return this.layer(name, hooks =>
      hooks.attempt.tapPromise(name, async (exchange, attempt) => {
        this.lines.push(`attempt ${name}`)
        await does(attempt, exchange)
      }),
    )
  }

  ask(exchange: Exchange): Promise<Answer> {
    const provider = {
      complete: (call: ProviderCall): Promise<Answer> => {
        this.lines.push('call')
        return this.complete(call)
      },
    }
    const spec = { prompt: exchange.prompt, model: 'm', stream: false, key: undefined, cancellation: this.cancellation }
    return dispatch(
      this.flow.hooks,
      asTestExchange(exchange),
      { name: 'acme', provider, log: this.log },
      { ...spec, ...this.spec },
    )
  }

  /** Adds books and the layer that asks. The rest of the flow is up to the test. */
  open(asks: (exchange: Exchange) => Promise<Answer | undefined> = exchange => this.ask(exchange)) {
    this.layer(
      'books',
      hooks => {
        hooks.attempted.tap('books', (_, attempt, outcome) => {
          this.lines.push(`attempted ${outcome.outcome}`)
          this.seen.push({ attempt, outcome })
        })
        hooks.settle.tapPromise('books', async () => void this.lines.push('settle'))
        hooks.finish.tap('books', ({ failure }) => void this.lines.push(`finish ${failure?.code ?? 'well'}`))
      },
      true,
    )
    this.layer('cloud', hooks => hooks.answer.tapPromise('cloud', asks))
    return this.flow.handle(this.exchange)
  }

  get outcome(): AttemptOutcome {
    const [only, ...more] = this.seen
    if (!only || more.length > 0) throw new Error(`${this.seen.length} attempts were reported`)
    return only.outcome
  }
}

const settledOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error,
  )

const USAGE: Usage = { input: 7, output: 3 }

const text = (said: string): Frame => ({ events: [{ type: 'text', text: said }], wire: `data: ${said}\n\n` })
const frame = (...events: AnswerEvent[]): Frame => ({ events, wire: 'data: event\n\n' })
const END = frame({ type: 'stop', stop: { reason: 'stop' } }, { type: 'end' })

/** A live answer of these frames. An error in their place is thrown; a promise is waited for. */
const streamOf = (...steps: readonly (Frame | Error | Promise<unknown>)[]): LiveAnswer =>
  liveAnswer({
    format: 'plain',
    source: (async function* () {
      for (const step of steps) {
        if (step instanceof Error) throw step
        if (step instanceof Promise) await step
        else yield step
      }
    })(),
  })

async function readAll(answer: Answer | undefined): Promise<unknown> {
  if (answer?.kind !== 'live') throw new Error('this is no live answer')
  return settledOf(
    (async () => {
      for await (const _ of answer.frames());
    })(),
  )
}

test('a whole answer: attempt, call, attempted, settle, finish', async () => {
  const stage = new Stage(async () =>
    wholeAnswer({
      completion: { id: '', model: 'm', created: 0, blocks: [], stop: { reason: 'stop' }, usage: USAGE },
    }),
  ).quota('quota')
  const { answer, closed } = stage.open()
  assert.is((await answer)?.facts.provider, 'acme')
  await closed
  assert.equal(stage.lines, ['attempt quota', 'call', 'attempted answered', 'settle', 'finish well'])
  const { outcome, error, status, usage, firstTokenMs, ms } = stage.outcome
  assert.equal({ outcome, error, status, usage }, { outcome: 'answered', error: undefined, status: 200, usage: USAGE })
  assert.is(firstTokenMs, ms)
  assert.ok(ms >= 0)
})

test('fields that a vendor is not told are in the trail of the layer that asks, in the attempt and in the log, once', async () => {
  let calls = 0
  const stage = new Stage(async call => {
    for (const field of ['seed', 'top_k', 'seed']) call.note?.(field)
    if (calls++ === 0) throw new ProviderError('overloaded', 'acme said 529', { status: 529 })
    return textAnswer('hi', { model: 'm' })
  }).quota('quota')
  const { closed } = stage.open(exchange => stage.ask(exchange).catch(() => stage.ask(exchange)))
  await closed
  assert.equal(
    stage.exchange.trail.map(({ tap, omitted }) => [tap, omitted]),
    [
      ['cloud', ['acme: seed', 'acme: top_k']],
      ['quota', undefined],
      ['quota', undefined],
      ['books', undefined],
    ],
  )
  for (const { attempt } of stage.seen) assert.equal(attempt.omitted, ['seed', 'top_k'])
  const fields = { provider: 'acme', fields: ['seed', 'top_k'], request: 'r1' }
  const line = { level: 'debug', message: 'fields of the request were left out', fields }
  assert.equal(stage.logged, [line, line])
})

test('an attempt that tells its vendor everything has nothing in the log', async () => {
  const stage = new Stage(async () => textAnswer('hi', { model: 'm' }))
  await stage.open().closed
  assert.equal(stage.seen[0]?.attempt.omitted, [])
  assert.equal(stage.logged, [])
})

test('an answer of another operation than chat, with what it cost', async () => {
  const stage = new Stage(async () => bytesAnswer(Buffer.from('[]'), { usage: USAGE }))
  await stage.open().closed
  assert.equal(stage.lines, ['call', 'attempted answered', 'settle', 'finish well'])
  assert.equal(stage.outcome.usage, USAGE)
})

test('a live answer is attempted when its stream has ended, and before it settles', async () => {
  const stage = new Stage(async () =>
    streamOf(
      frame({ type: 'start', id: '', model: 'm', created: 0 }),
      nextTurn(),
      text('a'),
      frame({ type: 'usage', usage: USAGE }),
      END,
    ),
  ).quota('quota')
  const { answer, closed } = stage.open()
  const live = await answer
  assert.is(live?.facts.provider, 'acme')
  assert.equal(stage.lines, ['attempt quota', 'call'])
  assert.is(await readAll(live), undefined)
  await closed
  assert.equal(stage.lines, ['attempt quota', 'call', 'attempted answered', 'settle', 'finish well'])
  const { status, usage, error, firstTokenMs, ms } = stage.outcome
  assert.equal({ status, usage, error }, { status: 200, usage: USAGE, error: undefined })
  assert.ok(firstTokenMs !== undefined && firstTokenMs > 0 && firstTokenMs <= ms)
})

test('reasoning counts as the first token', async () => {
  let release = (): void => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const stage = new Stage(async () => streamOf(frame({ type: 'reasoning', text: 'hm' }), held, text('a'), END))
  const { answer, closed } = stage.open()
  const live = await answer
  if (live?.kind !== 'live') throw new Error('this is no live answer')
  const reading = readAll(live)
  await nextTurn()
  const { firstTokenAt } = live.progress
  assert.type(firstTokenAt, 'number', 'it is known before the text comes')
  release()
  await reading
  await closed
  const { firstTokenMs, ms } = stage.outcome
  assert.ok(firstTokenMs !== undefined && firstTokenMs < ms)
})

test('an attempt that fails: the vendor’s error and status, no settling', async () => {
  const failure = new ProviderError('overloaded', 'acme said 529', { status: 529 })
  const stage = new Stage(async () => {
    throw failure
  }).quota('quota')
  const { answer, closed } = stage.open()
  const thrown = await settledOf(answer)
  assert.ok(isGatewayError(thrown) && thrown.code === 'upstream_failed')
  await closed
  assert.equal(stage.lines, ['attempt quota', 'call', 'attempted failed', 'finish upstream_failed'])
  const { error, status, usage, firstTokenMs } = stage.outcome
  assert.is(error, failure)
  assert.equal([status, usage, firstTokenMs], [529, undefined, undefined])
})

test('a provider that throws at once, and one that gives no answer, have failed', async () => {
  const throws = new Stage(() => {
    throw new TypeError('a bug')
  })
  await throws.open().closed
  assert.equal(throws.lines, ['call', 'attempted failed', 'finish internal'])
  assert.is(throws.outcome.status, undefined)

  const nothing = new Stage(async () => undefined as never)
  await nothing.open().closed
  assert.equal(nothing.lines, ['call', 'attempted failed', 'finish unanswered'])
  assert.ok(isProviderError(nothing.outcome.error) && nothing.outcome.error.reason === 'protocol')
})

test('a stream that breaks off has failed, with the usage that the vendor told before', async () => {
  const broke = new ProviderError('network', 'the line broke', { status: 529 })
  const stage = new Stage(async () => streamOf(text('a'), frame({ type: 'usage', usage: USAGE }), broke))
  const { answer, closed } = stage.open()
  const thrown = await readAll(await answer)
  assert.ok(isGatewayError(thrown))
  await closed
  assert.equal(stage.lines, ['call', 'attempted failed', 'finish upstream_failed'])
  const { usage, received, status, error, firstTokenMs, ms } = stage.outcome
  assert.equal([usage, received, status], [USAGE, 1, 529])
  assert.ok(error === broke)
  assert.ok(firstTokenMs !== undefined && firstTokenMs <= ms)
})

test('a stream that ends before its terminal event has failed', async () => {
  const stage = new Stage(async () => streamOf(text('a')))
  const { answer, closed } = stage.open()
  await readAll(await answer)
  await closed
  assert.equal(stage.lines, ['call', 'attempted failed', 'finish upstream_failed'])
})

test('a stream that is passed on and cannot be kept was answered, and the exchange ends well', async () => {
  for (const odd of [frame({ type: 'unmodelled', what: 'a second choice' }), text('x'.repeat(33 << 20))]) {
    const stage = new Stage(async () => streamOf(text('a'), odd, END))
    const { answer, closed } = stage.open()
    assert.is(await readAll(await answer), undefined)
    await closed
    assert.equal(stage.lines, ['call', 'attempted answered', 'finish well'])
    assert.is(stage.exchange.failure, undefined)
    assert.is(stage.exchange.layer, 'label-cloud')
  }
})

test('all clients leave before the answer: cancelled, though the vendor never answers', async () => {
  const stage = new Stage(() => new Promise(() => {}))
  const { answer, closed } = stage.open()
  const asking = settledOf(answer)
  await nextTurn()
  stage.cancellation.cancel(new GatewayError('unanswered', 'all clients have left'))
  await asking
  await closed
  assert.equal(stage.lines, ['call', 'attempted cancelled', 'finish unanswered'])
})

test('all clients leave during the stream: cancelled, with the usage so far, though nothing is read any more', async () => {
  const stage = new Stage(async () =>
    streamOf(frame({ type: 'usage', usage: USAGE }), text('a'), new Promise(() => {}), END),
  )
  const { answer, closed } = stage.open()
  const live = await answer
  assert.ok(live?.kind === 'live')
  for await (const { events } of live.frames()) if (events.some(({ type }) => type === 'text')) break
  stage.cancellation.cancel(new GatewayError('unanswered', 'all clients have left'))
  await closed
  assert.equal(stage.lines, ['call', 'attempted cancelled', 'finish unanswered'])
  assert.equal(stage.outcome.usage, USAGE)
  assert.is(typeof stage.outcome.firstTokenMs, 'number')
})

test('all clients leave while a tap of attempt is at work: the vendor is not called', async () => {
  const stage = new Stage(async () => textAnswer('late', { model: 'm' })).quota('quota', () =>
    stage.cancellation.cancel(new GatewayError('unanswered', 'all clients have left')),
  )
  await stage.open().closed
  assert.equal(stage.lines, ['attempt quota', 'attempted refused', 'finish unanswered'])
})

test('a tap of attempt that never ends holds nothing up once the time is over', async () => {
  const stage = new Stage(async () => textAnswer('never', { model: 'm' })).quota('quota', () => new Promise(() => {}))
  const { answer, closed } = stage.open()
  const asking = settledOf(answer)
  await nextTurn()
  const slow = new ProviderError('timeout', 'no first byte within 1 s')
  stage.cancellation.cancel(slow)
  assert.ok(isGatewayError(await asking))
  await closed
  assert.equal(stage.lines, ['attempt quota', 'attempted refused', 'finish upstream_timeout'])
  assert.is(stage.outcome.error, slow)
})

test('the estimate of a call decodes no prompt', async () => {
  const estimates: unknown[] = []
  const own: ChatFormat = {
    ...plainFormat,
    outputCap: ({ most }) => (typeof most === 'number' ? most : undefined),
    decodePrompt: () => {
      throw new GatewayError('bad_request', 'a part that only the vendor knows')
    },
  }
  const stage = new Stage(async () => textAnswer('passed', { model: 'm' }), {
    prompt: promptOf(own, Buffer.from('{"prompt":"hi"}'), { prompt: 'hi', most: 7 }),
  }).quota('quota', ({ estimate }) => void estimates.push(estimate))
  await stage.open().closed
  assert.equal(estimates, [{ input: 4, output: 7, answers: 1 }])
  assert.equal(stage.lines, ['attempt quota', 'call', 'attempted answered', 'settle', 'finish well'])
})

test('a vendor that is too slow has failed: its clients still wait', async () => {
  const stage = new Stage(() => new Promise(() => {}))
  const { answer, closed } = stage.open()
  const asking = settledOf(answer)
  await nextTurn()
  const slow = new ProviderError('timeout', 'no first byte within 1 s')
  stage.cancellation.cancel(slow)
  await asking
  await closed
  assert.equal(stage.lines, ['call', 'attempted failed', 'finish upstream_timeout'])
  assert.is(stage.outcome.error, slow)
})

test('a tap of attempt refuses the vendor: a ProviderError goes to the layer that asked, and it may answer otherwise', async () => {
  const spent = new ProviderError('quota', 'acme is out of credit', { status: 402 })
  const stage = new Stage(async () => textAnswer('never', { model: 'm' }))
    .quota('first')
    .quota('quota', () => {
      throw spent
    })
    .quota('later')
  const caught: unknown[] = []
  const { answer, closed } = stage.open(async exchange => {
    caught.push(await settledOf(stage.ask(exchange)))
    return textAnswer('from elsewhere', { model: 'm' })
  })
  await answer
  await closed
  const [refused] = caught
  assert.ok(isProviderError(refused) && refused.refused)
  assert.equal([refused.reason, refused.message, refused.cause], ['quota', 'acme is out of credit', spent])
  assert.equal(stage.lines, ['attempt first', 'attempt quota', 'attempted refused', 'settle', 'finish well'])
  assert.is(stage.outcome.error, spent)
  assert.is(stage.exchange.layer, 'label-cloud')
  assert.is(stage.exchange.failure, undefined)
  assert.equal(stage.logged, [], 'a refusal says itself what is wrong')
})

test('a tap of attempt refuses the request: a GatewayError reaches the client under the label of its layer', async () => {
  const blocked = new GatewayError('quota_blocked', 'the window is full', { retryAfterSecs: 60 })
  const stage = new Stage(async () => textAnswer('never', { model: 'm' })).quota('quota', () => {
    throw blocked
  })
  const { answer, closed } = stage.open()
  assert.is(await settledOf(answer), blocked)
  await closed
  assert.equal(stage.lines, ['attempt quota', 'attempted refused', 'finish quota_blocked'])
  const { layer, decidedBy, failure } = stage.exchange
  assert.equal({ layer, decidedBy }, { layer: 'label-quota', decidedBy: 'quota' })
  assert.is(failure, blocked)
  assert.is(stage.outcome.error, blocked)
  assert.equal(stage.logged, [])
})

test('a tap of attempt that throws something else fails the request, and the log says which plugin it was', async () => {
  const bug = new TypeError('x is not a function')
  const stage = new Stage(async () => textAnswer('never', { model: 'm' })).quota('quota', () => {
    throw bug
  })
  const { answer, closed } = stage.open()
  const thrown = await settledOf(answer)
  assert.ok(isGatewayError(thrown) && thrown.code === 'internal' && thrown.cause === bug)
  await closed
  assert.equal(stage.lines, ['attempt quota', 'attempted refused', 'finish internal'])
  assert.is(stage.exchange.layer, 'label-quota')
  assert.equal(stage.logged, [
    {
      level: 'error',
      message: 'quota threw in attempt',
      fields: { tap: 'quota', file: '/plugins/quota.ts', request: 'r1', error: bug.message, stack: bug.stack },
    },
  ])
})

test('a tap of attempted that throws is a warning, the next one is called, and the answer stands', async () => {
  const stage = new Stage(async () => textAnswer('hi', { model: 'm' }))
  stage.layer('broken', hooks =>
    hooks.attempted.tap('broken', () => {
      throw new Error('the books are full')
    }),
  )
  const { answer, closed } = stage.open()
  assert.is((await answer)?.kind, 'whole')
  await closed
  assert.equal(stage.lines, ['call', 'attempted answered', 'settle', 'finish well'])
  assert.equal(
    stage.logged.map(({ level, message, fields }) => [level, message, fields?.tap, fields?.file]),
    [['warn', 'attempted failed', 'broken', '/plugins/broken.ts']],
  )
})

test('an answer whose bytes cannot be decoded is passed on although books want its usage', async () => {
  const stage = new Stage(async () =>
    wholeAnswer({
      completion: () => {
        throw new ProviderError('protocol', 'acme sent an answer that cannot be read')
      },
      wire: { format: 'plain', bytes: Buffer.from('{}') },
    }),
  )
  const { answer } = stage.open()
  assert.is((await answer)?.kind, 'whole')
  assert.is(stage.outcome.outcome, 'answered')
  assert.is(stage.outcome.usage, undefined)
})

test('taps see the attempt without its key, and may put a fresh key in its place', async () => {
  const calls: ProviderCall[] = []
  const stage = new Stage(
    async call => {
      calls.push(call)
      return textAnswer('hi', { model: 'm' })
    },
    {
      key: { key: 'sk-stale', label: 'team-a' },
      model: 'parrot-1',
      stream: true,
      prompt: plainPrompt('a question', { max: 1 }),
    },
  )
  const shown: unknown[] = []
  stage.quota('oauth', attempt => {
    const { provider, model, operation, keyLabel, stream, estimate } = attempt
    shown.push({ provider, model, operation, keyLabel, stream, estimate })
    attempt.useKey('sk-fresh')
  })
  await stage.open().closed
  const bytes = stage.spec.prompt?.bytes.length ?? 0
  assert.equal(shown, [
    {
      provider: 'acme',
      model: 'parrot-1',
      operation: 'chat',
      keyLabel: 'team-a',
      stream: true,
      estimate: { input: Math.ceil(bytes / 4), output: undefined, answers: 1 },
    },
  ])
  assert.is(calls[0]?.key, 'sk-fresh')
  assert.is(calls[0]?.requestId, 'r1')
  assert.not.match(JSON.stringify(stage.seen), /sk-/)
  assert.not.match(JSON.stringify(shown), /sk-/)
})

test('a key without a label is masked, and an attempt without a key may be given one', async () => {
  const keys: (string | undefined)[] = []
  const stage = new Stage(
    async ({ key }) => {
      keys.push(key)
      return textAnswer('hi', { model: 'm' })
    },
    { key: { key: 'sk-plain-0123456789-last' } },
  ).quota('nothing')
  await stage.open().closed
  assert.is(stage.seen[0]?.attempt.keyLabel, 'sk-…ast')
  const bare = new Stage(stage.complete).quota('oauth', attempt => attempt.useKey('sk-fresh'))
  await bare.open().closed
  assert.equal(keys, ['sk-plain-0123456789-last', 'sk-fresh'])
})

test('two attempts of one exchange are two pairs, and note is that of the layer which asked', async () => {
  let left = 1
  const stage = new Stage(async () => {
    if (left-- > 0) throw new ProviderError('unavailable', 'acme said 503', { status: 503 })
    return textAnswer('hi', { model: 'm' })
  }).quota('quota', (_, exchange) => exchange.note('reserved'))
  await stage.open(async exchange => {
    await settledOf(stage.ask(exchange))
    const answer = await stage.ask(exchange)
    exchange.note('second try')
    return answer
  }).closed
  assert.equal(stage.lines, [
    'attempt quota',
    'call',
    'attempted failed',
    'attempt quota',
    'call',
    'attempted answered',
    'settle',
    'finish well',
  ])
  assert.equal(
    stage.exchange.trail.map(({ hook, tap, outcome }) => `${hook} ${tap} ${outcome}`),
    ['answer cloud second try', 'attempt quota reserved', 'attempt quota reserved', 'settle books passed'],
  )
})

test.run()
