import {
  type Answer,
  type Attempt,
  type AttemptOutcome,
  Cancellation,
  GatewayError,
  isGatewayError,
  type Provider,
  ProviderError,
} from 'deflector'
import { type ExchangeFacts, plainPrompt, TestExchange, testHost } from 'deflector/contracts/host'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cloud from '../../../../plugins/layers/cloud/index.ts'
import { type Act, fails, hangs, provider, read, says, settled, Tap } from './double.ts'

interface Under {
  readonly lines: string[]
  readonly outcomes: AttemptOutcome[]
  ask(facts?: ExchangeFacts): Promise<Answer | undefined>
  readonly host: ReturnType<typeof testHost<'layer'>>
}

/** The layer before these providers, and another one with taps of `attempt` and `attempted`, which counts. */
function counted(
  providers: Record<string, Provider>,
  refuses: (attempt: Attempt) => void = () => {},
  options: Record<string, unknown> = {},
): Under {
  const lines: string[] = []
  const outcomes: AttemptOutcome[] = []
  const host = testHost('layer', {
    name: 'cloud',
    providers,
    flow: hooks => {
      hooks.attempt.tapPromise('quota', async (_, attempt) => {
        lines.push(`attempt ${attempt.provider}`)
        refuses(attempt)
      })
      hooks.attempted.tap('quota', (_, attempt, outcome) => {
        lines.push(`${outcome.outcome} ${attempt.provider} ${outcome.status}`)
        outcomes.push(outcome)
      })
    },
  })
  host.apply(cloud, { chain: Object.keys(providers), max_attempts: 2, ...options })
  const ask = async (facts: ExchangeFacts = {}): Promise<Answer | undefined> => {
    const exchange = new TestExchange(facts)
    try {
      return await host.call.answer(exchange)
    } finally {
      host.call.finish(exchange)
    }
  }
  return { lines, outcomes, ask, host }
}

/** The outcome, while time passes as it is needed. */
async function inTime<T>({ host }: Under, asking: Promise<T>): Promise<T> {
  let over = false
  const end = asking.finally(() => {
    over = true
  })
  end.catch(() => {})
  for (let turn = 0; turn < 1000 && !over; turn++) await host.clock.advance(100)
  return end
}

const failureOf = async (asking: Promise<unknown>): Promise<GatewayError> => {
  const error = await asking.then(
    () => undefined,
    thrown => thrown,
  )
  if (!isGatewayError(error)) throw new Error(`not a GatewayError: ${error}`)
  return error
}

test('each retry and each fallback is a pair of its own', async () => {
  const acme = provider([fails('unavailable', { status: 503 })])
  const backup = provider([fails('overloaded', { status: 529 }), says('hi')])
  const under = counted({ acme, backup })
  await inTime(under, under.ask())
  assert.equal(under.lines, [
    'attempt acme',
    'failed acme 503',
    'attempt acme',
    'failed acme 503',
    'attempt backup',
    'failed backup 529',
    'attempt backup',
    'answered backup 200',
  ])
})

test('each key that is tried is a pair of its own', async () => {
  const acme = provider([fails('rate_limited', { status: 429 }), fails('credential', { status: 401 }), says('hi')], {
    keys: ['one', 'two', 'three'],
  })
  const under = counted({ acme })
  await inTime(under, under.ask())
  assert.equal(under.lines, [
    'attempt acme',
    'failed acme 429',
    'attempt acme',
    'failed acme 401',
    'attempt acme',
    'answered acme 200',
  ])
})

test('a ProviderError of a tap sends the chain on to the next provider, and the refused one is never called', async () => {
  const acme = provider([says('never')])
  const backup = provider([says('hi')])
  const under = counted({ acme, backup }, attempt => {
    if (attempt.provider === 'acme') throw new ProviderError('quota', 'the window of acme is full')
  })
  const answer = await under.ask()
  assert.is(answer?.facts.provider, 'backup')
  assert.is(acme.calls.length, 0)
  assert.equal(under.lines, ['attempt acme', 'refused acme undefined', 'attempt backup', 'answered backup 200'])
})

test('a GatewayError of a tap ends the chain: no provider is called, no retry is made', async () => {
  const acme = provider([says('never')])
  const backup = provider([says('never')])
  const blocked = new GatewayError('quota_blocked', 'the window is full')
  const under = counted({ acme, backup }, () => {
    throw blocked
  })
  assert.is(await failureOf(under.ask()), blocked)
  assert.equal([acme.calls.length, backup.calls.length], [0, 0])
  assert.equal(under.lines, ['attempt acme', 'refused acme undefined'])
})

test('a recoverable GatewayError of a tap ends the chain as well', async () => {
  const acme = provider([says('never')])
  const limited = new GatewayError('rate_limited', 'too fast')
  const under = counted({ acme }, () => {
    throw limited
  })
  assert.is(await failureOf(under.ask()), limited)
  assert.equal(under.lines, ['attempt acme', 'refused acme undefined'])
})

test('those who join a shared call cause no attempt', async () => {
  let answer: (text: string) => void = () => {}
  const waits: Act = call =>
    new Promise(resolve => {
      answer = text => resolve(says(text)(call))
    })
  const under = counted({ acme: provider([waits]) })
  const asking = Promise.all(['r1', 'r2', 'r3'].map(id => under.ask({ id })))
  await settled()
  answer('hi')
  const answers = await asking
  assert.equal(
    answers.map(given => given?.facts.joined),
    [undefined, true, true],
  )
  assert.equal(under.lines, ['attempt acme', 'answered acme 200'])
})

test('a shared stream is one pair, answered when the stream ends', async () => {
  const tap = new Tap()
  const under = counted({ acme: provider([() => tap.live]) })
  const [first, second] = await Promise.all([under.ask({ id: 'r1' }), under.ask({ id: 'r2' })])
  if (first?.kind !== 'live' || second?.kind !== 'live') throw new Error('no live answers')
  const reading = Promise.all([read(first), read(second)])
  tap.text('hi')
  await settled()
  assert.equal(under.lines, ['attempt acme'])
  tap.end()
  assert.equal(await reading, ['hi', 'hi'])
  assert.equal(under.lines, ['attempt acme', 'answered acme 200'])
})

test('a call is cancelled when the last of its clients leaves, and only then', async () => {
  const under = counted({ acme: provider([hangs]) })
  const clients = [new Cancellation(), new Cancellation()]
  const asking = clients.map((cancellation, at) => failureOf(under.ask({ id: `r${at}`, cancellation })))
  await settled()
  clients[0]?.cancel(new Error('the client left'))
  await settled()
  assert.equal(under.lines, ['attempt acme'])
  clients[1]?.cancel(new Error('the client left'))
  await Promise.all(asking)
  assert.equal(under.lines, ['attempt acme', 'cancelled acme undefined'])
})

test('a vendor that gives no first byte in time has failed', async () => {
  const under = counted({ acme: provider([hangs]), backup: provider([says('never')]) }, undefined, { timeout_secs: 1 })
  const failure = await inTime(under, failureOf(under.ask()))
  assert.is(failure.code, 'upstream_timeout')
  assert.equal(under.lines, ['attempt acme', 'failed acme undefined'])
  const [outcome] = under.outcomes
  assert.ok(outcome?.error instanceof ProviderError && outcome.error.reason === 'timeout')
})

test('an attempt that gives no answer at all has failed, and the chain goes on', async () => {
  const under = counted({ acme: provider([() => ({}) as never]), backup: provider([says('hi')]) }, undefined, {
    max_attempts: 1,
  })
  await inTime(under, under.ask())
  assert.equal(under.lines, ['attempt acme', 'failed acme undefined', 'attempt backup', 'answered backup 200'])
})

test('a tap that sends the chain on costs no wait, no second try and no rest of the key', async () => {
  for (const reason of ['quota', 'rate_limited', 'unavailable', 'credential'] as const) {
    let refusing = true
    const first = provider([says('first')], { keys: ['a'] })
    const under = counted({ first, second: provider([says('second')]) }, ({ provider }) => {
      if (refusing && provider === 'first') throw new ProviderError(reason, 'not for this caller')
    })
    assert.is((await under.ask({ id: 'one' }))?.facts.provider, 'second')
    assert.equal(under.lines, ['attempt first', 'refused first undefined', 'attempt second', 'answered second 200'])
    refusing = false
    assert.is(
      (await under.ask({ id: 'two', prompt: plainPrompt('something else') }))?.facts.provider,
      'first',
      `${reason}: the next caller has the key`,
    )
  }
})

test.run()
