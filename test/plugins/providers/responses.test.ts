import { promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import plugin from '../../../plugins/providers/responses.ts'
import { plainPrompt } from '../../contracts/host.ts'
import { checkBeforeVendor } from './before-vendor.ts'
import { bench, checkFaults, failure, type Subject, TEXT } from './vendor-faults.ts'

const item = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: TEXT, annotations: [] }],
}
const response = (status: string, output: readonly object[]): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'm',
  output,
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  new_field: 1,
})
const frame = (type: string, more: object): string =>
  `event: response.${type}\ndata: ${JSON.stringify({ type: `response.${type}`, ...more })}\n\n`
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }

const subject: Subject = {
  plugin,
  format: responses,
  body: { model: 'gpt-sample', input: 'hello' },
  options: upstream => ({ url: upstream.url, key_required: false }),
  said: {
    body: response('completed', [item]),
    stream: [
      frame('created', { response: response('in_progress', []) }),
      frame('output_item.added', { output_index: 0, item: { ...item, content: [] } }),
      frame('output_text.delta', { ...place, delta: TEXT, new_field: 'ü' }),
      frame('output_text.done', { ...place, text: TEXT }),
      frame('output_item.done', { output_index: 0, item }),
      frame('completed', { response: response('completed', [item]) }),
    ],
  },
}

checkBeforeVendor('responses', plugin)
checkFaults(subject)

test('the key goes where this vendor looks for it', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    await provider.complete(call(subject.body))
    assert.is(upstream.calls[0]?.headers.authorization, 'Bearer key-1234')
    assert.is(upstream.calls[0]?.path, '/v1/responses')
  }))

test('a prompt of another dialect is written anew, and nothing of it is kept at the vendor', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    await provider.complete(call(subject.body, { prompt: plainPrompt('hi'), model: 'gpt-sample' }))
    const { body } = upstream.calls[0] ?? {}
    assert.is(body?.model, 'gpt-sample')
    assert.is(body?.store, false)
    assert.equal(body?.input, [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }])
  }))

test('a response that failed is told by the word of its vendor', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    for (const [code, reason] of [
      ['rate_limit_exceeded', 'rate_limited'],
      ['insufficient_quota', 'quota'],
      ['context_length_exceeded', 'context'],
      ['server_error', 'unavailable'],
    ] as const) {
      const failed = { ...response('failed', []), error: { code, message: 'no' } }
      upstream.script({
        sse: [frame('created', { response: response('in_progress', []) }), frame('failed', { response: failed })],
      })
      const error = await failure(provider.complete(call({ ...subject.body, stream: true })))
      assert.is(error.reason, reason, code)
    }
  }))

test('what only another dialect can say is told by its field', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], stop: ['END'] }
    const prompt = promptOf(chatCompletions, Buffer.from(JSON.stringify(body)), body)
    const error = await failure(provider.complete(call(subject.body, { prompt })))
    assert.is(error.reason, 'unsayable')
    assert.is(error.param, 'stop')
    assert.is(upstream.calls.length, 0)
  }))

for (const status of ['in_progress', 'queued'])
  test(`an answer that is ${status} is passed to clients of this format, and told to no other`, () =>
    bench(subject, async ({ upstream, provider, call }) => {
      upstream.script({ json: response(status, [item]) })
      const own = await provider.complete(call(subject.body))
      assert.is(own.kind, 'whole')
      upstream.script({ json: response(status, [item]) })
      const { reason, message } = await failure(provider.complete(call(subject.body, { prompt: plainPrompt('hi') })))
      assert.is(reason, 'protocol')
      assert.match(message, status)
    }))

test.run()
