import { type Attempt, type AttemptOutcome, Cancellation, ProviderError } from 'deflector'
import { attemptsOf, callCount, recordAttempt } from 'deflector/formats/attempt-records'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Outrun } from '../../../plugins/layers/cloud/hedges.ts'
import { plainPrompt, TestExchange } from '../../contracts/host.ts'

const attempt = (provider: string, began: number): Attempt => ({
  provider,
  began,
  model: 'm',
  operation: 'chat',
  keyLabel: `key of ${provider}`,
  stream: false,
  omitted: [],
  estimate: { input: 1, output: undefined, answers: 1 },
  cancellation: new Cancellation(),
  useKey: () => {},
})
const ended = (outcome: AttemptOutcome['outcome'], error?: unknown): AttemptOutcome => ({
  outcome,
  error,
  status: undefined,
  usage: undefined,
  firstTokenMs: undefined,
  ms: 1,
})

test('attempts stand in the order in which they began, and one that was outrun says so', () => {
  const exchange = new TestExchange({ prompt: plainPrompt('hi') })
  recordAttempt(exchange, attempt('second', 20), ended('answered'))
  recordAttempt(exchange, attempt('first', 10), ended('cancelled', new Outrun(false, 5)))
  recordAttempt(exchange, attempt('third', 30), ended('cancelled', new Error('all clients left')))
  assert.equal(
    attemptsOf(exchange).map(({ provider, key, outcome, reason }) => [provider, key, outcome, reason]),
    [
      ['first', 'key of first', 'cancelled', 'outrun'],
      ['second', 'key of second', 'answered', null],
      ['third', 'key of third', 'cancelled', 'other'],
    ],
  )
})

test('an attempt that was refused before its vendor was asked is recorded, and is no call', () => {
  const exchange = new TestExchange({ prompt: plainPrompt('hi') })
  recordAttempt(exchange, attempt('first', 10), ended('refused', new ProviderError('rate_limited', 'no tokens left')))
  recordAttempt(exchange, attempt('second', 20), ended('answered'))
  assert.equal(
    attemptsOf(exchange).map(({ outcome }) => outcome),
    ['refused', 'answered'],
  )
  assert.is(callCount(exchange), 1)
})

test('what was wrong is recorded in words of the gateway alone', () => {
  const exchange = new TestExchange({ prompt: plainPrompt('hi') })
  const fault = 'the vendor sent an empty answer'
  recordAttempt(exchange, attempt('first', 10), ended('failed', new ProviderError('protocol', 'first: ""', { fault })))
  recordAttempt(exchange, attempt('second', 20), ended('failed', new Error('boom')))
  recordAttempt(exchange, attempt('third', 30), ended('failed', new ProviderError('network', 'secret words')))
  assert.equal(
    attemptsOf(exchange).map(record => record.fault),
    [fault, "the provider plugin failed; the gateway's log says why", undefined],
  )
})

test.run()
