import { type AttemptOutcome, GatewayError, ProviderError } from 'deflector'
import { callUsage, isPlausible, isTold } from 'deflector/formats/call-usage'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const CHAT_CALL = { operation: 'chat', estimate: { input: 40, output: undefined, answers: 1 } }
const NONE = { usage: undefined, error: undefined, status: undefined }
const ended = (outcome: AttemptOutcome['outcome'], more: Partial<AttemptOutcome> = {}, operation = 'chat') => {
  const found = callUsage({ ...CHAT_CALL, operation }, { ...NONE, outcome, ...more }, () => 7)
  return found && [found.usage.input, found.usage.output, found.estimated]
}
const failed = (error: ProviderError) => ended('failed', { error, status: error.status })

test('the word of the vendor counts, and a guess where it says nothing', () => {
  assert.equal(ended('answered', { usage: { input: 10, output: 5 } }), [10, 5, false])
  assert.equal(ended('answered'), [40, 7, true])
  assert.equal(ended('answered', { received: 40 }), [40, 10, true])
  assert.is(ended('answered', {}, 'files'), undefined)
})

test('of what was cut off at least the text that came is counted', () => {
  assert.equal(ended('cancelled', { usage: { input: 10, output: 1 }, received: 40 }), [10, 10, true])
  assert.equal(ended('failed', { received: 4 }), [40, 1, true])
})

test('what a failure says of the whole call is no guess, unless no vendor can have counted it', () => {
  const usage = { input: 10, output: 1 }
  const error = new ProviderError('unavailable', 'failed', { usage })
  assert.equal(ended('failed', { error, usage, received: 40 }), [10, 1, false])
  const odd = { input: 1e30, output: 1 }
  assert.equal(ended('failed', { error: new ProviderError('unavailable', 'failed', { usage: odd }), usage: odd }), [
    0,
    0,
    false,
  ])
})

test('all was told where nothing of it is a guess', () => {
  const usage = { input: 10, output: 1 }
  const error = new ProviderError('unavailable', 'failed', { usage })
  const refusal = new ProviderError('bad_request', 'refused', { status: 400 })
  for (const [more, told] of [
    [{ outcome: 'answered', usage }, true],
    [{ outcome: 'answered' }, false],
    [{ outcome: 'failed', error, usage, received: 40 }, true],
    [{ outcome: 'failed', error: new ProviderError('network', 'broke off'), usage, received: 40 }, false],
    [{ outcome: 'failed', error: refusal, status: 400 }, true],
  ] as const)
    assert.is(isTold(CHAT_CALL, { ...NONE, ...more }), told, JSON.stringify(more))
})

test('the prompt counts where a vendor that sent nothing may have worked at it', () => {
  assert.equal(ended('cancelled'), [40, 0, true])
  for (const reason of ['timeout', 'network', 'protocol', 'gave_up', 'untellable'] as const)
    assert.equal(failed(new ProviderError(reason, 'no answer')), [40, 0, true], reason)
})

test('nothing counts where the vendor refused, was not reached, or was not called', () => {
  assert.equal(failed(new ProviderError('network', 'no connection', { unsent: true })), [0, 0, false])
  assert.equal(failed(new ProviderError('unavailable', 'down', { status: 503 })), [0, 0, false])
  assert.equal(failed(new ProviderError('protocol', 'an odd answer', { status: 404 })), [0, 0, false])
  assert.equal(failed(new ProviderError('unsayable', 'no words for it')), [0, 0, false])
  assert.equal(ended('refused', { error: new GatewayError('quota_blocked', 'spent') }), [0, 0, false])
  assert.equal(ended('cancelled', {}, 'files'), [0, 0, false])
})

test('numbers that no vendor can have counted are no word of it', () => {
  for (const input of [1e30, 10.5, -1, Number.NaN, 1e9]) {
    assert.not(isPlausible({ input, output: 5 }), `${input}`)
    assert.equal(ended('answered', { usage: { input, output: 5 } }), [40, 7, true], `${input}`)
  }
  assert.not(isPlausible({ input: 1, output: 5, cacheRead: 1e30 }))
  assert.ok(isPlausible({ input: 2_000_000, output: 100_000, cacheRead: 1_000_000 }))
})

test.run()
