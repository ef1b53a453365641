import {
  type Attempt,
  type AttemptOutcome,
  bytesAnswer,
  Cancellation,
  type ExchangeKind,
  GatewayError,
  type LayerHooks,
  type Plugin,
  ProviderError,
  textAnswer,
} from 'deflector'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plainPrompt, TestExchange, type TestHost, testHost } from './host.ts'
import { checkDefinition, type PluginSample } from './plugin.ts'

const OWN: readonly (keyof LayerHooks)[] = ['attempted', 'settle', 'finish']
const KINDS: readonly ExchangeKind[] = ['chat', 'lookup', 'put', 'admit', 'inspect']

/** What no log may hold. */
const QUESTION = 'a very private question'
const ANSWER = 'a very private answer'
const KEY = 'sk-a-very-private-key'

/** What every observer promises, as a suite of tests that runs with the file. */
export function checkObserver(plugin: Plugin, { options = {}, around }: PluginSample = {}): void {
  const tests = suite(`${plugin.name} as an observer`)
  checkDefinition(tests, 'observer', plugin, { options, ...(around && { around }) })

  const check = (title: string, run: (host: TestHost<'observer'>) => Promise<void>): void =>
    tests(title, async () => {
      const host = testHost('observer', around?.() ?? {})
      assert.is(host.apply(plugin, options), undefined, 'apply gives nothing back')
      try {
        await host.start()
        host.ready()
        await run(host)
        assert.equal(warningsOf(host), [], 'a tap threw')
        assert.not.match(JSON.stringify(host.logged), new RegExp(`${QUESTION}|${ANSWER}|${KEY}`))
      } finally {
        await host.dispose()
      }
    })

  check('taps the hooks of observers', async host => {
    assert.equal(
      host.tapped.filter(hook => !OWN.includes(hook)),
      [],
    )
  })

  check('bears every kind of exchange, with an answer and without', async host => {
    for (const kind of KINDS) {
      const answered = exchangeOf(kind)
      await host.call.settle(answered, textAnswer(ANSWER, { model: 'model-1' }))
      host.call.finish(answered)
      host.call.finish(exchangeOf(kind))
    }
  })

  check('bears the answer to another operation than chat', async host => {
    const exchange = exchangeOf('chat')
    await host.call.settle(exchange, bytesAnswer(Buffer.from(ANSWER)))
    host.call.finish(exchange)
  })

  check('bears a request that was refused before its body was read', async host => {
    const refused = new TestExchange({ prompt: null, headers: { authorization: `Bearer ${KEY}` } })
    refused.failed(new GatewayError('unauthorized', 'a valid key is needed'))
    host.call.finish(refused)
  })

  check('bears every outcome of a vendor call', async host => {
    const failed = new ProviderError('rate_limited', 'the vendor said 429', { status: 429 })
    for (const [outcome, error] of [
      ['answered', undefined],
      ['failed', failed],
      ['refused', new GatewayError('quota_blocked', 'the quota is spent')],
      ['cancelled', new Error('all clients left')],
    ] as const) {
      const exchange = exchangeOf('chat')
      host.call.attempted(exchange, ATTEMPT, outcomeOf(outcome, error))
      host.call.finish(exchange)
    }
  })

  tests.run()
}

const exchangeOf = (kind: ExchangeKind): TestExchange =>
  new TestExchange({ kind, prompt: plainPrompt(QUESTION), headers: { authorization: `Bearer ${KEY}` } })

/** What a tap throws is a warning of the flow. */
const warningsOf = ({ logged }: TestHost<'observer'>): unknown[] =>
  logged.filter(({ message }) => /^(?:attempted|settle|finish) failed$/.test(message)).map(({ fields }) => fields)

const ATTEMPT: Attempt = {
  omitted: [],
  provider: 'acme',
  model: 'model-1',
  operation: 'chat',
  keyLabel: 'first',
  stream: false,
  estimate: { input: 8, output: undefined, answers: 1 },
  cancellation: new Cancellation(),
  useKey: () => {},
}

const outcomeOf = (outcome: AttemptOutcome['outcome'], error: unknown): AttemptOutcome => ({
  outcome,
  error,
  status: outcome === 'answered' ? 200 : undefined,
  usage: outcome === 'answered' ? { input: 8, output: 5 } : undefined,
  firstTokenMs: outcome === 'answered' ? 12 : undefined,
  ms: 40,
})
