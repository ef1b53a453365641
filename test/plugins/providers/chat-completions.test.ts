import { promptOf } from 'deflector'
import { health } from 'deflector/facets/health'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import plugin from '../../../plugins/providers/chat-completions.ts'
import { plainPrompt, testHost } from '../../contracts/host.ts'
import { waiting } from '../../contracts/waiting.ts'
import { startUpstream } from '../../support/upstream.ts'
import { checkBeforeVendor } from './before-vendor.ts'
import { bench, checkFaults, failure, readFrames, type Subject, textOf } from './vendor-faults.ts'

const subject: Subject = {
  plugin,
  format: chatCompletions,
  body: { model: 'sample', messages: [{ role: 'user', content: 'hello' }] },
  options: upstream => ({ url: upstream.url }),
}

checkBeforeVendor('chat-completions', plugin)
checkFaults(subject)

test('the key goes where this vendor looks for it', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    await provider.complete(call(subject.body))
    assert.is(upstream.calls[0]?.headers.authorization, 'Bearer key-1234')
    assert.is(upstream.calls[0]?.path, '/v1/chat/completions')
  }))

test('a full chat URL is understood', () =>
  bench(
    { ...subject, options: ({ url }) => ({ url: `${url}/chat/completions/` }) },
    async ({ upstream, provider, call }) => {
      await provider.complete(call(subject.body))
      assert.is(upstream.calls[0]?.path, '/v1/chat/completions')
    },
  ))

test('usage is asked for in streams, beside what else the client wants of them', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const answer = await provider.complete(
      call({ ...subject.body, stream: true, stream_options: { include_obfuscation: false } }),
    )
    await readFrames(answer)
    assert.equal(upstream.calls[0]?.body?.stream_options, { include_obfuscation: false, include_usage: true })
    const { usage } = answer.kind === 'live' ? (await answer.whole).completion : {}
    assert.is(usage?.input, 7)
    assert.is(usage?.output, 5)
  }))

test('a missing [DONE] after a finish reason is forgiven', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const chunk = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    upstream.script({ sse: [chunk({ content: 'whole' }, null), chunk({}, 'stop')] })
    const { frames, error } = await readFrames(await provider.complete(call({ ...subject.body, stream: true })))
    assert.is(error, undefined)
    assert.is(textOf(frames), 'whole')
  }))

for (const [finish, reason] of [
  ['insufficient_system_resource', 'overloaded'],
  ['network_error', 'unavailable'],
  ['error', 'unavailable'],
] as const) {
  test(`a whole answer that finished with ${finish} is a failure`, () =>
    bench(subject, async ({ upstream, provider, call }) => {
      upstream.script({ text: 'hal', finish })
      assert.is((await failure(provider.complete(call(subject.body)))).reason, reason)
    }))
}

test('an answer without choices is none', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    upstream.script(
      { json: { choices: [] } },
      { json: { choices: null, base_resp: { status_code: 1008, status_msg: 'no money' } } },
    )
    assert.is((await failure(provider.complete(call(subject.body)))).reason, 'protocol')
    assert.match((await failure(provider.complete(call(subject.body)))).message, 'no money')
  }))

test('a prompt of another format is written anew, with the quirks of the vendor', () =>
  bench(
    subject,
    async ({ upstream, provider, call }) => {
      await provider.complete(call(subject.body, { prompt: plainPrompt('bonjour'), model: 'm1' }))
      const body = upstream.calls[0]?.body
      assert.is(body?.model, 'm1')
      assert.match(JSON.stringify(body?.messages), 'bonjour')
    },
    { quirks: { drop_params: ['stream'] } },
  ))

test('the quirks of a vendor reach the wire', () =>
  bench(
    subject,
    async ({ upstream, provider, call }) => {
      await provider.complete(call({ ...subject.body, seed: 1, max_completion_tokens: 9, novelty: true }))
      assert.equal(upstream.calls[0]?.body, { ...subject.body, max_tokens: 9, novelty: true })
    },
    { quirks: { drop_params: ['seed'], max_tokens_param: 'max_tokens' } },
  ))

test('plain http to a public host is warned about at start', async () => {
  const host = testHost('provider')
  host.apply(plugin, { url: 'http://api.example.com/v1' })
  await host.start()
  assert.is(host.logged.filter(({ level }) => level === 'warn').length, 1)
  await host.dispose()
})

test('shows a missing credential in its health', async () => {
  const host = testHost('provider')
  host.apply(plugin, { url: 'https://api.example.com/v1', key_required: true })
  assert.is(host.offer(health)?.(), 'no_credential')
  await host.dispose()
})

test('connections outlive a reload', async () => {
  const before = testHost('provider')
  const after = testHost('provider', { kept: before.kept })
  const upstream = await startUpstream()
  try {
    const call = {
      prompt: plainPrompt('x'),
      model: 'm',
      stream: true,
      key: undefined,
      requestId: 'r',
      headers: {},
      ...waiting(),
    }
    const answer = await before.apply(plugin, { url: upstream.url }).complete(call)
    after.apply(plugin, { url: upstream.url })
    await before.dispose()
    assert.is((await readFrames(answer)).error, undefined)
  } finally {
    await after.dispose()
    await upstream.close()
  }
})

test('a tool nested too deep to be written again is refused at once', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const schema = `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`
    const rest = '"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hello"}]'
    const text = `{${rest},"tools":[{"name":"t","input_schema":${schema}}]}`
    const prompt = promptOf(messages, Buffer.from(text), JSON.parse(text))
    const { reason } = await failure(provider.complete(call(subject.body, { prompt })))
    assert.is(reason, 'unsayable')
    assert.is(upstream.calls.length, 0)
  }))

test.run()
