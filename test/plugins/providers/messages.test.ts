import { promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import plugin from '../../../plugins/providers/messages.ts'
import { plainPrompt } from '../../contracts/host.ts'
import { checkBeforeVendor } from './before-vendor.ts'
import { bench, checkFaults, failure, type Subject } from './vendor-faults.ts'

const subject: Subject = {
  plugin,
  format: messages,
  body: { model: 'claude-sample', max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] },
  options: upstream => ({ url: upstream.url, key_required: false }),
}

checkBeforeVendor('messages', plugin)
checkFaults(subject)

test('the key goes where this vendor looks for it', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    await provider.complete(call(subject.body))
    assert.is(upstream.calls[0]?.headers['x-api-key'], 'key-1234')
    assert.is(upstream.calls[0]?.headers.authorization, undefined)
    assert.is(upstream.calls[0]?.path, '/v1/messages')
  }))

test('a client of the format keeps its version and its betas', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const headers = { 'anthropic-version': '2099-01-01', 'anthropic-beta': 'one,two' }
    await provider.complete(call(subject.body, { headers }))
    await provider.complete(call(subject.body))
    assert.is(upstream.calls[0]?.headers['anthropic-version'], '2099-01-01')
    assert.is(upstream.calls[0]?.headers['anthropic-beta'], 'one,two')
    assert.is(upstream.calls[1]?.headers['anthropic-version'], '2023-06-01')
    assert.is(upstream.calls[1]?.headers['anthropic-beta'], undefined)
  }))

test('an operator may set the version for clients that name none', () =>
  bench(
    subject,
    async ({ upstream, provider, call }) => {
      await provider.complete(call(subject.body))
      await provider.complete(call(subject.body, { headers: { 'anthropic-version': '2099-01-01' } }))
      assert.equal(
        upstream.calls.map(({ headers }) => headers['anthropic-version']),
        ['2031-01-01', '2099-01-01'],
      )
    },
    { headers: { 'Anthropic-Version': '2031-01-01' } },
  ))

test('the headers of another format mean nothing here', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const headers = { 'anthropic-version': '2099-01-01', 'anthropic-beta': 'one,two' }
    await provider.complete(call(subject.body, { prompt: plainPrompt('hi'), headers, model: 'claude-sample' }))
    assert.is(upstream.calls[0]?.headers['anthropic-version'], '2023-06-01')
    assert.is(upstream.calls[0]?.headers['anthropic-beta'], undefined)
    assert.is(upstream.calls[0]?.body?.model, 'claude-sample')
    assert.type(upstream.calls[0]?.body?.max_tokens, 'number')
  }))

test('a ping is no beginning: an error after it is still a failure of the attempt', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const frame = (type: string, more: object): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
    const error = frame('error', { error: { type: 'overloaded_error', message: 'busy' } })
    upstream.script({ sse: [frame('ping', {}), { data: error, delayMs: 20 }] })
    assert.is((await failure(provider.complete(call({ ...subject.body, stream: true })))).reason, 'overloaded')
  }))

test('a tool nested too deep to be written again is refused at once', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const schema = `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`
    const rest = '"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hello"}]'
    const text = `{${rest},"tools":[{"type":"function","function":{"name":"t","parameters":${schema}}}]}`
    const prompt = promptOf(chatCompletions, Buffer.from(text), JSON.parse(text))
    const { reason } = await failure(provider.complete(call(subject.body, { prompt })))
    assert.is(reason, 'unsayable')
    assert.is(upstream.calls.length, 0)
  }))

test.run()
