import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { eventFailure, statusFailure, vendorError } from '../../../../plugins/providers/upstream/failure.ts'

const facts = { name: 'acme', dialect: 'acmese', now: 0, secrets: ['my-very-own-key'] }
const failed = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  statusFailure({ status, headers, text: typeof body === 'string' ? body : JSON.stringify(body) }, facts)

for (const [status, reason] of [
  [400, 'bad_request'],
  [401, 'credential'],
  [402, 'quota'],
  [403, 'credential'],
  [404, 'bad_request'],
  [408, 'unavailable'],
  [409, 'unavailable'],
  [413, 'bad_request'],
  [422, 'bad_request'],
  [429, 'rate_limited'],
  [500, 'unavailable'],
  [502, 'unavailable'],
  [503, 'overloaded'],
  [504, 'unavailable'],
  [529, 'overloaded'],
  [302, 'protocol'],
] as const) {
  test(`${status} is ${reason}`, () => {
    const error = failed(status, { error: { message: 'no', code: null, type: null } })
    assert.is(error.reason, reason)
    assert.is(error.status, status)
  })
}

test('what a failed call used is what the vendor says in its own place, of calls that it may have worked at', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3 }
  const counted = { input: 7, output: 3 }
  assert.equal(failed(500, { error: { message: 'no' }, usage }).usage, counted)
  assert.equal(failed(429, { error: { message: 'no', usage } }).usage, counted)
  assert.is(failed(422, { error: { message: 'no' }, usage }).usage, undefined)
  assert.is(failed(500, { detail: [{ input: { usage } }] }).usage, undefined)
})

for (const code of ['insufficient_quota', 'billing_hard_limit_reached', 'billing_error', 'insufficient_balance']) {
  test(`429 with ${code} is about money`, () => {
    assert.is(failed(429, { error: { message: 'pay', type: 'x', code } }).reason, 'quota')
    assert.is(failed(429, { error: { message: 'pay', type: code, code: null } }).reason, 'quota')
  })
}

test('the words of a message decide nothing', () => {
  assert.is(failed(429, { error: { message: 'insufficient_quota billing 401' } }).reason, 'rate_limited')
  assert.is(failed(400, { error: { message: 'rate limit overloaded' } }).reason, 'bad_request')
})

test('a prompt that is too long is told from other refusals, in the words of the vendor', () => {
  const error = failed(400, {
    error: { message: 'prompt is too long: 9 > 8', type: 'invalid_request_error', code: 'context_length_exceeded' },
  })
  assert.is(error.reason, 'context')
  assert.is(error.code, 'context_length_exceeded')
  assert.is(error.message, 'prompt is too long: 9 > 8')
})

test('a wait is read for what can be tried again, not for what was refused', () => {
  assert.is(failed(429, {}, { 'retry-after': '3' }).retryAfterMs, 3000)
  assert.is(failed(503, {}, { 'retry-after': '3' }).retryAfterMs, 3000)
  assert.is(failed(400, {}, { 'retry-after': '3' }).retryAfterMs, undefined)
})

for (const [shape, body] of [
  ['error object', { error: { message: 'the reason' } }],
  ['error text', { error: 'the reason' }],
  ['message', { message: 'the reason' }],
  ['detail', { detail: 'the reason' }],
  ['code, message and data', { code: 20012, message: 'the reason', data: null }],
  ['list of errors', { success: false, errors: [{ code: 5, message: 'the reason' }] }],
  ['base_resp', { base_resp: { status_code: 1004, status_msg: 'the reason' } }],
  ['array', [{ error: { message: 'the reason' } }]],
  ['messages format', { type: 'error', error: { type: 'api_error', message: 'the reason' } }],
] as const) {
  test(`reads an error in the shape of: ${shape}`, () => assert.is(vendorError(body)?.message, 'the reason'))
}

test('an answer is no error', () => {
  assert.is(vendorError({ choices: [], error: null }), undefined)
  assert.is(vendorError({ type: 'message', content: [] }), undefined)
  assert.is(vendorError({ choices: [], base_resp: { status_code: 0, status_msg: '' } }), undefined)
})

for (const [type, reason] of [
  ['overloaded_error', 'overloaded'],
  ['rate_limit_error', 'rate_limited'],
  ['billing_error', 'quota'],
  ['api_error', 'unavailable'],
  ['timeout_error', 'timeout'],
  ['authentication_error', 'credential'],
  ['invalid_request_error', 'bad_request'],
  ['something_new', 'protocol'],
] as const) {
  test(`an error event of ${type} is ${reason}`, () => {
    const error = eventFailure(JSON.stringify({ type: 'error', error: { type, message: 'oh' } }), facts)
    assert.is(error?.reason, reason)
    assert.is(error?.code, type)
  })
}

test('a status inside an error event counts', () => {
  assert.is(eventFailure('{"error":{"code":502,"message":"oh"}}', facts)?.reason, 'unavailable')
  assert.is(eventFailure('{"error":{"code":429,"message":"oh"}}', facts)?.reason, 'rate_limited')
})

test('what is no error event gives none', () => {
  assert.is(eventFailure('{"choices":[]}', facts), undefined)
  assert.is(eventFailure('{"cho', facts), undefined)
})

test('a message is one line of at most 500 characters', () => {
  const { message } = failed(400, { error: { message: `a\nb\u0000${'x y '.repeat(1000)}` } })
  assert.ok(message.length <= 500)
  assert.ok(message.startsWith('a b x y'))
})

test('a body that is no JSON is not repeated', () => {
  const error = failed(500, '<html>secret stack trace</html>')
  assert.is(error.message, 'acme answered 500')
})

for (const [status, error] of [
  [504, { type: 'timeout_error', message: 'late' }],
  [504, { code: 504, status: 'DEADLINE_EXCEEDED', message: 'late' }],
  [500, { type: 'timeout_error', message: 'late' }],
  [408, { message: 'late' }],
] as const)
  test(`${status} ${JSON.stringify(error)} is a time-out, tried again as any that is unavailable`, () => {
    const { reason, class: kind } = failed(status, { error })
    assert.is(reason, 'unavailable')
    assert.is(kind, 'timeout')
  })

test('a list of invalid fields tells the first of them', () => {
  const detail = [{ type: 'missing', loc: ['body', 'messages', 0, 'role'], msg: 'Field required my-very-own-key' }]
  const { reason, message, vendor } = failed(422, { detail })
  assert.is(reason, 'bad_request')
  assert.match(message, /^Field required /)
  assert.not.match(message, 'my-very-own-key')
  assert.is(vendor.said?.param, 'messages[0].role')
  assert.is(vendor.said?.message, message)
  for (const none of [[], [3], [{ loc: 3, msg: 3 }]])
    assert.is(failed(422, { detail: none }).message, 'acme answered 422')
  assert.is(failed(422, { detail: [{ msg: 'no' }] }).vendor.said?.param, undefined)
})

test.run()
