import { Cancellation, type Completion, type ProviderCall } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { native } from 'deflector/formats/native'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../core/clock.ts'
import { attempt, type ChatEndpoint } from '../../../../plugins/providers/upstream/attempt.ts'
import type { Connections } from '../../../../plugins/providers/upstream/http.ts'
import type { Incoming } from '../../../../plugins/providers/upstream/incoming.ts'
import type { VendorFormat } from '../../../../plugins/providers/upstream/vendor-format.ts'
import { plainPrompt } from '../../../contracts/host.ts'
import { countTurns } from '../../../support/loop-turns.ts'
import { failure } from '../vendor-faults.ts'

const controller = { paused: false, aborted: false, reason: null, rawHeaders: null, rawTrailers: null }

/** A vendor that is there at once: whatever turns of the event loop pass, we took them. */
function vendor(body: Buffer): Connections {
  const dispatch = (_: unknown, incoming: Incoming): boolean => {
    const under = { ...controller, pause() {}, resume() {}, abort() {} }
    incoming.onRequestStart(under)
    incoming.onResponseStart(under, 200, { 'content-type': 'application/json' })
    for (let at = 0; at < body.length; at += 1 << 16) incoming.onResponseData(under, body.subarray(at, at + (1 << 16)))
    incoming.onResponseEnd()
    return true
  }
  return { agent: { dispatch } as Partial<Connections['agent']> as Connections['agent'], gateway: 'g' }
}

const call = (): ProviderCall => {
  const cancellation = new Cancellation()
  const { signal } = cancellation
  const facts = { model: 'm', stream: false, key: undefined, requestId: 'r', headers: {} }
  return { prompt: plainPrompt('hi'), ...facts, cancellation, signal }
}

const asked = (body: Buffer, more: Partial<ChatEndpoint> = {}) => {
  const options: Omit<ChatEndpoint, 'connections'> = {
    url: new URL('http://vendor.local/v1/chat/completions'),
    baseHeaders: {},
    format: chatCompletions,
    name: 'acme',
    dialect: 'chat-completions',
    asked: 'chat-completions answer',
    learn: () => {},
    idleMs: 1000,
    clock: systemClock,
    now: () => 0,
    isAnswer: () => true,
  }
  const sending = { headers: {}, secrets: [], body: Buffer.from('{}') }
  return attempt(call(), { ...options, connections: vendor(body), ...more }, sending)
}

const decoded: Completion = { id: 'c', model: 'm', created: 0, blocks: [], stop: { reason: 'stop' } }

const answerOf = (content: string): Buffer =>
  Buffer.from(JSON.stringify({ id: 'c', choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] }))

test('a large answer is put together and read while the event loop goes on', async () => {
  const content = 'say "hi"\n'.repeat(1_000_000)
  const loop = countTurns()
  const answer = await asked(answerOf(content))
  loop.stop()
  assert.ok(loop.turns >= 10, `${loop.turns} turns`)
  assert.is(answer.kind, 'whole')
  if (answer.kind === 'whole') assert.equal(answer.completion.blocks, [{ type: 'text', text: content }])
})

test('an answer in which a member stands twice is read alike, whatever its size', async () => {
  for (const size of [10, 300_000]) {
    const twice = answerOf('x'.repeat(size)).toString().replace('"id":"c"', '"id":"b","id":"c"')
    const answer = await asked(Buffer.from(twice))
    assert.is(answer.kind === 'whole' && answer.completion.id, 'c')
  }
})

test('a byte order mark before an answer is no part of it, whatever its size', async () => {
  for (const size of [10, 300_000]) {
    const plain = answerOf('x'.repeat(size))
    const answer = await asked(Buffer.concat([Buffer.from('\ufeff'), plain]))
    assert.is(answer.kind, 'whole')
    if (answer.kind !== 'whole') continue
    assert.is(answer.completion.id, 'c')
    assert.ok(plain.equals(answer.wire?.bytes ?? Buffer.alloc(0)))
  }
})

test('a message is a failure unless the dialect answers with one', async () => {
  const said = Buffer.from('{"message":"hi"}')
  const format: VendorFormat = {
    ...native,
    decodeAnswer: () => ({ ...decoded, blocks: [{ type: 'text', text: 'hi' }] }),
  }
  const answer = await asked(said, { format, isAnswer: body => typeof body.message === 'string' })
  assert.is(answer.kind === 'whole' && answer.completion.blocks.length, 1)
  assert.match((await failure(asked(said, { format, isAnswer: () => false }))).message, 'hi')
  const broken = Buffer.from('{"message":"hi","error":{"message":"no"}}')
  assert.is((await failure(asked(broken, { format }))).reason, 'protocol')
})

test('a large answer that is no JSON is a protocol failure', async () => {
  const { reason, message } = await failure(asked(Buffer.from(`{"id":"${'x'.repeat(300_000)}"`)))
  assert.is(reason, 'protocol')
  assert.match(message, 'acme sent an answer that is no JSON')
})

for (const finish of [{}, { finish_reason: null }, { finish_reason: '' }])
  test(`an answer without a finish reason is not told as a whole one: ${JSON.stringify(finish)}`, async () => {
    const body = Buffer.from(
      JSON.stringify({ id: 'c', choices: [{ index: 0, message: { content: 'half' }, ...finish }] }),
    )
    const { reason, message } = await failure(asked(body))
    assert.is(reason, 'protocol')
    assert.match(message, 'not finished')
  })

test.run()
