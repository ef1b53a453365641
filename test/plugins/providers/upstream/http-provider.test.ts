import { defineProvider, ProviderError, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { type Access, httpOptions, httpProvider, type Outgoing } from 'deflector/http-provider'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { testHost } from '../../../contracts/host.ts'
import { waiting } from '../../../contracts/waiting.ts'
import { startUpstream, type Upstream } from '../../../support/upstream.ts'
import { failure } from '../vendor-faults.ts'

type GetAccess = (upstream: Upstream, outgoing: Outgoing) => Access | Promise<Access>

async function ask(getAccess: GetAccess, upstream: Upstream): Promise<void> {
  const plugin = defineProvider({
    name: 'acme',
    options: z.strictObject(httpOptions),
    apply: (host, options) =>
      httpProvider(host, options, {
        format: chatCompletions,
        url: base => new URL(`${base}/nowhere`),
        auth: key => ({ authorization: `Bearer ${key}`, 'x-kept': '1' }),
        access: (_, outgoing) => getAccess(upstream, outgoing),
        isAnswer: body => Array.isArray(body.choices),
      }),
  })
  const host = testHost('provider', { name: 'acme' })
  const provider = host.apply(plugin, { url: upstream.url, model: 'own' })
  const body = { messages: [{ role: 'user', content: 'hello' }] }
  const prompt = promptOf(chatCompletions, Buffer.from(JSON.stringify(body)), body)
  const facts = { model: undefined, stream: false, key: 'long-lived', requestId: 'r1', headers: {} }
  try {
    await provider.complete({ prompt, ...facts, ...waiting() })
  } finally {
    await host.dispose()
  }
}

test('a call may have its own URL and headers, made from what goes out', async () => {
  const upstream = await startUpstream()
  await ask(async ({ url }, outgoing) => {
    const { target, body, headers } = outgoing
    assert.is(target.model, 'own')
    assert.is(headers.authorization, 'Bearer long-lived')
    assert.is(outgoing.url.href, `${url}/nowhere`)
    const sum = String(JSON.parse(Buffer.from(body).toString()).messages.length)
    return { url: new URL(`${url}/models/own/chat/completions?v=1`), headers: { authorization: 'Bearer new', sum } }
  }, upstream)
  const [call] = upstream.calls
  assert.is(call?.path, '/v1/models/own/chat/completions?v=1')
  assert.is(call?.headers.authorization, 'Bearer new')
  assert.is(call?.headers.sum, '1')
  assert.is(call?.headers['x-kept'], '1')
})

test('a credential that is made for a call is masked in what the vendor says of it', async () => {
  const upstream = await startUpstream()
  upstream.script({ status: 400, json: { error: { message: 'tok-made is no token, nor is long-lived' } } })
  const url = new URL(`${upstream.url}/chat/completions`)
  const error = await failure(
    ask(() => ({ url, headers: { authorization: 'Bearer tok-made' }, secrets: ['tok-made'] }), upstream),
  )
  assert.is(error.message, '*** is no token, nor is ***')
})

test('a failure to get a credential is the failure of the call', async () => {
  const upstream = await startUpstream()
  const refused = new ProviderError('credential', 'no')
  assert.is(await failure(ask(() => Promise.reject(refused), upstream)), refused)
  assert.equal(upstream.calls, [])
})

test.run()
