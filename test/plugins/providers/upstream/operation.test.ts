import { type Dialect, defineProvider, NO_CALL, type ProviderCall, promptOf } from 'deflector'
import { messages } from 'deflector/formats/messages'
import { type HttpOperation, httpOptions, httpProvider } from 'deflector/http-provider'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { plainFormat, testHost } from '../../../contracts/host.ts'
import { waiting } from '../../../contracts/waiting.ts'
import { startUpstream } from '../../../support/upstream.ts'
import { failure } from '../vendor-faults.ts'

const count: HttpOperation = {
  url: base => new URL(`${base}/tokens`),
  isAnswer: body => typeof body.count === 'number',
  usageOf: ({ count }) => (typeof count === 'number' ? { input: count, output: 0 } : undefined),
}
const name: HttpOperation = { url: count.url, isAnswer: body => typeof body.message === 'string' }

const job: HttpOperation = {
  url: count.url,
  isAnswer: body => typeof body.job === 'string',
  describes: body => typeof body.job === 'string',
}

const plugin = defineProvider({
  name: 'counting',
  options: z.strictObject(httpOptions),
  apply: (host, options) =>
    httpProvider(host, options, {
      format: messages,
      url: base => new URL(`${base}/chat`),
      auth: key => ({ 'x-key': key }),
      headers: ({ requestId }) => ({ 'x-trace': requestId }),
      patches: () => ({ chatty: 'true' }),
      isAnswer: () => true,
      operations: {
        count,
        name,
        job,
        tagged: { ...count, patches: body => ({ was: JSON.stringify(body.model) }) },
      },
    }),
})

async function counting() {
  const upstream = await startUpstream()
  const host = testHost('provider', { name: 'acme' })
  const provider = host.apply(plugin, { url: upstream.url, model: 'own' })
  const ask = (operation: string, text: string, more: Partial<ProviderCall> = {}, dialect: Dialect = messages) => {
    const spoken: Dialect = { ...dialect, readHead: body => ({ ...plainFormat.readHead(body, NO_CALL), operation }) }
    const prompt = promptOf(spoken, Buffer.from(text), JSON.parse(text))
    const facts = { model: undefined, stream: false, key: 'key-1234', requestId: 'r1', headers: {} }
    return provider.complete({ prompt, ...facts, ...waiting(), ...more })
  }
  const close = async () => {
    await host.dispose()
    await upstream.close()
  }
  return { upstream, provider, ask, close }
}

test('an operation goes to its own path with the keys, headers and bytes of the client, and comes back as it is', async () => {
  const { upstream, provider, ask, close } = await counting()
  assert.equal(provider.operations, ['chat', 'count', 'name', 'job', 'tagged'])
  upstream.script({ json: { count: 12, of: [1] }, headers: { 'request-id': 'v1', 'x-inner': 'secret' } })
  const text = '{"model" : "m", "text":"é"}'
  const answer = await ask('count', text, { headers: { 'anthropic-beta': 'b', cookie: 'c' } })
  assert.is(answer.kind, 'bytes')
  if (answer.kind !== 'bytes') return
  assert.is(Buffer.from(answer.bytes).toString(), '{"count":12,"of":[1]}')
  assert.equal([answer.contentType, answer.usage], ['application/json', { input: 12, output: 0 }])
  assert.equal(answer.facts.headers, { 'request-id': 'v1' })
  const [call] = upstream.calls
  assert.is(call?.raw.toString(), text)
  assert.is(call?.path, '/v1/tokens')
  assert.equal(
    ['x-key', 'x-trace', 'anthropic-beta', 'anthropic-version', 'cookie'].map(header => call?.headers[header]),
    ['key-1234', 'r1', 'b', '2023-06-01', undefined],
  )
  await close()
})

test('the error of the thing that an answer describes is no failure of the call', async () => {
  const { upstream, ask, close } = await counting()
  const error = { code: 'server_error', message: 'it broke' }
  upstream.script({ json: { job: 'j1', error } })
  const answer = await ask('job', '{}')
  assert.equal(answer.kind === 'bytes' && JSON.parse(Buffer.from(answer.bytes).toString()), { job: 'j1', error })
  for (const body of [{ error }, [{ job: 'j1', error }]]) {
    upstream.script({ json: body })
    assert.is((await failure(ask('job', '{}'))).reason, 'unavailable')
  }
  upstream.script({ json: { count: 1, error } })
  assert.is((await failure(ask('count', '{}'))).reason, 'unavailable')
  await close()
})

test('the model is filled in as for chat, and an operation may have patches of its own', async () => {
  const { upstream, ask, close } = await counting()
  upstream.script(() => ({ json: { count: 1 } }))
  await ask('count', '{"text":"a"}')
  await ask('count', '{"text":"a","model":"theirs"}', { model: 'chosen' })
  await ask('tagged', '{"model":"theirs"}')
  assert.equal(
    upstream.calls.map(({ body }) => body),
    [
      { text: 'a', model: 'own' },
      { text: 'a', model: 'chosen' },
      { model: 'theirs', was: 'theirs' },
    ],
  )
  await close()
})

test('an answer without usage is an answer, also one that has nothing but a message', async () => {
  const { upstream, ask, close } = await counting()
  upstream.script({ json: { message: 'ann' } })
  const answer = await ask('name', '{}')
  assert.equal([answer.kind, answer.kind === 'bytes' && answer.usage], ['bytes', undefined])
  upstream.script({ json: { name: 'ann' } })
  const { reason, fault } = await failure(ask('name', '{}'))
  assert.equal([reason, fault], ['protocol', 'the vendor sent JSON that is no answer to name'])
  await close()
})

test('the failures of an operation are those of chat', async () => {
  const { upstream, ask, close } = await counting()
  for (const [reply, reason] of [
    [{ status: 429 }, 'rate_limited'],
    [{ status: 401 }, 'credential'],
    [{ json: { other: 1 } }, 'protocol'],
    [{ json: { error: { message: 'no' } } }, 'protocol'],
    [{ garbage: 'no JSON' }, 'protocol'],
    [{ sse: ['data: {"count":1}\n\n'] }, 'protocol'],
    [{ reset: true }, 'network'],
  ] as const) {
    upstream.script(reply)
    assert.is((await failure(ask('count', '{}'))).reason, reason, JSON.stringify(reply))
  }
  await close()
})

test('what cannot be asked is refused before the vendor is called', async () => {
  const { upstream, ask, close } = await counting()
  for (const [asking, said] of [
    [ask('count', '{}', {}, plainFormat), 'clients of messages only'],
    [ask('count', '{}', { stream: true }), 'does not stream count'],
    [ask('other', '{}'), 'does not serve other'],
  ] as const) {
    const { reason, message } = await failure(asking)
    assert.is(reason, 'unsayable')
    assert.match(message, said)
  }
  assert.is(upstream.calls.length, 0)
  await close()
})

test.run()
