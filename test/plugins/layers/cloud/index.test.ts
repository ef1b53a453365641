import {
  type Answer,
  bytesAnswer,
  Cancellation,
  type Dialect,
  type Exchange,
  type GatewayError,
  isGatewayError,
  NO_CALL,
  type Provider,
  promptOf,
  type RouteChoice,
} from 'deflector'
import { type HostGiven, plainFormat, plainPrompt, TestExchange, testHost } from 'deflector/contracts/host'
import { health } from 'deflector/facets/health'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cloud from '../../../../plugins/layers/cloud/index.ts'
import { fails, provider, read, says, settled, Tap, textOf } from './double.ts'

function layer(providers: Record<string, Provider>, options: Record<string, unknown> = {}, given: HostGiven = {}) {
  const host = testHost('layer', { name: 'cloud', ...given, providers })
  host.apply(cloud, { chain: Object.keys(providers), ...options })
  /** One exchange from its question to its end, as the flow takes it through. */
  const ask = async (exchange: Exchange = new TestExchange()): Promise<Answer> => {
    try {
      const answer = await host.call.answer(exchange)
      if (!answer) throw new Error('the cloud passed on')
      return answer
    } finally {
      host.call.finish(exchange)
      await settled()
    }
  }
  return { ...host, ask, report: () => host.offer(health)?.() }
}

async function failureOf(asking: Promise<unknown>): Promise<GatewayError> {
  const error = await asking.then(
    () => undefined,
    error => error,
  )
  if (!isGatewayError(error)) throw new Error(`not a GatewayError: ${error}`)
  return error
}

test('is l3 and deflects nothing', () => {
  assert.is(cloud.label, 'l3')
  assert.not(cloud.deflects)
})

test('two alike that came together share a call, though a cache kept one until the other had its answer', async () => {
  const acme = provider([says('hi')])
  const { ask, call } = layer({ acme })
  const [first, second] = [new TestExchange(), new TestExchange()]
  await call.receive(first)
  await call.receive(second)
  await ask(first)
  assert.ok((await ask(second)).facts.joined)
  assert.is(acme.calls.length, 1)
  const third = new TestExchange()
  await call.receive(third)
  await ask(third)
  assert.is(acme.calls.length, 2)
})

test('answers in the name of the provider', async () => {
  const { ask } = layer({ acme: provider([says('hi')]) })
  const answer = await ask()
  assert.is(textOf(answer), 'hi')
  assert.is(answer.facts.provider, 'acme')
})

test('offline it refuses, for good and without a call', async () => {
  const acme = provider([says('hi')])
  const { ask, report } = layer({ acme }, { offline: true })
  const failure = await failureOf(ask())
  assert.is(failure.code, 'offline')
  assert.is(failure.status, 503)
  assert.is(failure.retryable, false)
  assert.is(failure.recoverable, false)
  assert.is(acme.calls.length, 0)
  assert.is(report(), 'disabled')
})

test('what a rule keeps on the machine does not leave it, and the rule is named', async () => {
  const acme = provider([says('hi')])
  const { ask } = layer({ acme })
  const failure = await failureOf(ask(new TestExchange({ route: { localRule: 'rule "payroll"' } })))
  assert.is(failure.code, 'route_closed')
  assert.is(failure.status, 503)
  assert.match(failure.message, 'rule "payroll"')
  assert.is(acme.calls.length, 0)
})

test('without a provider, or without any credential, it is 502 and says so', async () => {
  for (const providers of [{}, { acme: provider([says('hi')], { keys: [] }) }]) {
    const { ask, report } = layer(providers)
    const failure = await failureOf(ask())
    assert.is(failure.code, 'no_credential')
    assert.is(failure.status, 502)
    assert.ok(failure.recoverable)
    assert.is(report(), 'no_credential')
  }
})

test('is active while all providers have what they need, degraded while one has, and sees a key that comes later', () => {
  const keys: { key: string }[] = []
  const acme: Provider = { ...provider([says('hi')]), keys: () => keys }
  const { report } = layer({ acme })
  assert.is(report(), 'no_credential')
  keys.push({ key: 'a' })
  assert.is(report(), 'active')
  assert.is(layer({ local: provider([says('hi')]) }).report(), 'active')
  const keyless = provider([says('hi')], { keys: [] })
  assert.is(layer({ local: provider([says('hi')]), keyless }).report(), 'degraded')
})

test('sends the client’s model to the primary and each fallback its own', async () => {
  const primary = provider([fails('bad_request'), fails('quota')], { model: 'configured' })
  const backup = provider([says('hi')], { model: 'backup-1' })
  const plain = provider([fails('quota')])
  const { ask } = layer({ primary, plain, backup }, {})
  const prompt = plainPrompt('hello', { model: 'asked' })
  await failureOf(ask(new TestExchange({ prompt })))
  const answer = await ask(new TestExchange({ prompt }))
  assert.is(answer.facts.provider, 'backup')
  assert.equal(
    [primary, plain, backup].map(({ calls }) => calls.at(-1)?.model),
    ['asked', 'asked', 'backup-1'],
  )
})

test('the primary of an operation is the first provider that serves it', async () => {
  const chatty = provider([says('hi')], { model: 'configured' })
  const able = { ...provider([() => bytesAnswer(Buffer.from('[1]'))], { model: 'own' }), operations: ['embed'] }
  const { ask } = layer({ chatty, able })
  const dialect: Dialect = {
    ...plainFormat,
    readHead: body => ({ ...plainFormat.readHead(body, NO_CALL), operation: 'embed' }),
  }
  const body = { prompt: 'hello', model: 'asked' }
  const prompt = promptOf(dialect, Buffer.from(JSON.stringify(body)), body)
  const answer = await ask(new TestExchange({ prompt }))
  assert.equal([answer.kind, answer.facts.provider], ['bytes', 'able'])
  assert.is(able.calls[0]?.model, 'asked')
  assert.is(chatty.calls.length, 0)
  const failure = await failureOf(layer({ chatty }).ask(new TestExchange({ prompt })))
  assert.equal([failure.code, failure.status], ['unsupported_operation', 501])
})

test('the primary’s own model is for clients that name none', async () => {
  const primary = provider([says('hi')], { model: 'configured' })
  const { ask } = layer({ primary })
  await ask()
  assert.is(primary.calls[0]?.model, 'configured')
})

test('a route moves a provider to the front and may pin its model', async () => {
  const route = async (choice: RouteChoice): Promise<(string | undefined)[]> => {
    const primary = provider([says('hi')], { model: 'configured' })
    const backup = provider([says('hi')], { model: 'backup-1' })
    const answer = await layer({ primary, backup }).ask(
      new TestExchange({ prompt: plainPrompt('hello', { model: 'asked' }), route: choice }),
    )
    const [call] = [...primary.calls, ...backup.calls]
    return [answer.facts.provider, call?.model]
  }
  assert.equal(await route({}), ['primary', 'asked'])
  assert.equal(await route({ provider: 'backup' }), ['backup', 'backup-1'])
  assert.equal(await route({ provider: 'backup', model: 'pinned' }), ['backup', 'pinned'])
  assert.equal(await route({ model: 'pinned' }), ['primary', 'pinned'])
  assert.equal(await route({ provider: 'nobody' }), ['primary', 'asked'])
})

test('sends what the layers before made of the prompt, as a stream only if the client asked for one', async () => {
  const acme = provider([says('hi')])
  const { ask } = layer({ acme })
  const exchange = new TestExchange({
    id: 'r7',
    headers: { 'anthropic-beta': 'x' },
    prompt: plainPrompt('hello', { stream: true }),
  })
  exchange.outgoing = plainPrompt('hello, shorter')
  await ask(exchange)
  const [call] = acme.calls
  assert.is(call?.prompt, exchange.outgoing)
  assert.is(call?.stream, true)
  assert.is(call?.requestId, 'r7')
  assert.is(call?.headers['anthropic-beta'], 'x')
})

test('fifty identical questions at once are one call to the provider', async () => {
  const acme = provider([
    async () => {
      await settled()
      return says('hi')({} as never)
    },
  ])
  const { ask } = layer({ acme })
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(new TestExchange({ id: `r${n}` }))))
  assert.is(acme.calls.length, 1)
  assert.is(answers.filter(answer => answer.facts.joined).length, 49)
  assert.equal(new Set(answers.map(answer => answer.facts.provider)), new Set(['acme']))
})

test('other words, another namespace, another session and a stream are calls of their own', async () => {
  const acme = provider([() => new Promise(() => {})])
  const { call } = layer({ acme })
  const facts = [
    {},
    { prompt: plainPrompt('bye') },
    { namespace: 'native' },
    { session: 's1' },
    { prompt: plainPrompt('hello', { stream: true }) },
  ]
  for (const given of facts) void call.answer(new TestExchange(given)).catch(() => {})
  await settled()
  assert.is(acme.calls.length, facts.length)
})

test('when all have left, the call is aborted and the whole answer ends, even if nobody reads', async () => {
  let tap: Tap | undefined
  const acme = provider([
    ({ signal }) => {
      tap = new Tap(signal)
      return tap.live
    },
  ])
  const { call } = layer({ acme })
  const leaving = new Cancellation()
  const answer = await call.answer(
    new TestExchange({ cancellation: leaving, prompt: plainPrompt('hello', { stream: true }) }),
  )
  if (answer?.kind !== 'live') throw new Error('not live')
  tap?.text('one')
  leaving.cancel(new Error('left'))
  assert.ok(acme.calls[0]?.signal.aborted)
  assert.is((await failureOf(answer.whole)).code, 'client_left')
})

test('a stream goes on after the first byte, whatever the deadline', async () => {
  const tap = new Tap()
  const { call, clock } = layer({ acme: provider([() => tap.live]) }, { timeout_secs: 5 })
  const answer = await call.answer(new TestExchange({ prompt: plainPrompt('hello', { stream: true }) }))
  if (answer?.kind !== 'live') throw new Error('not live')
  assert.is(clock.sleeping, 0)
  const reading = read(answer)
  await clock.advance(60_000)
  tap.text('late')
  await settled()
  tap.end()
  assert.is(await reading, 'late')
  assert.is(answer.facts.provider, 'acme')
  assert.is(textOf(await answer.whole), 'late')
})

test('a key cools on over a reload', async () => {
  const acme = provider([fails('rate_limited')], { keys: ['a'] })
  const before = layer({ acme })
  await failureOf(before.ask())
  const { clock, kept } = before
  const { ask } = layer({ acme }, {}, { clock, kept })
  const failure = await failureOf(ask())
  assert.is(failure.code, 'rate_limited')
  assert.is(failure.retryAfterSecs, 60)
  assert.is(acme.calls.length, 1)
  await clock.advance(60_000)
  await failureOf(ask())
  assert.is(acme.calls.length, 2)
})

test('refuses options that it does not know', () => {
  assert.throws(() => layer({}, { timeout: 5 }), /timeout/)
})

test.run()
