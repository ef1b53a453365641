import { promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import plugin from '../../../plugins/providers/deployment.ts'
import { aliases } from '../../../plugins/providers/index.ts'
import { waiting } from '../../contracts/waiting.ts'
import { startGateway } from '../../support/gateway.ts'
import { startUpstream } from '../../support/upstream.ts'
import { checkBeforeVendor } from './before-vendor.ts'
import { bench, failure, readFrames, type Subject, textOf } from './vendor-faults.ts'

const subject: Subject = {
  plugin,
  format: chatCompletions,
  body: { model: 'sample', messages: [{ role: 'user', content: 'hello' }] },
  options: ({ port }) => ({
    ...aliases.azure?.options,
    url: `http://127.0.0.1:${port}`,
    api_key: 'key-1234',
    api_version: '2024-10-21',
  }),
}

checkBeforeVendor('deployment', plugin, subject.options)

const asked = (options: Record<string, unknown>, body = subject.body) =>
  new Promise<{ path: string; body: Record<string, unknown>; headers: Record<string, unknown> }>((resolve, reject) => {
    bench(
      subject,
      async ({ upstream, provider, call }) => {
        await provider.complete(call(body))
        const [seen] = upstream.calls
        resolve({ path: seen?.path ?? '', body: seen?.body ?? {}, headers: seen?.headers ?? {} })
      },
      options,
    ).catch(reject)
  })

test('a dated version asks the deployment by its path, with the key in a header of its own', async () => {
  const { path, headers } = await asked({ deployment: 'my gpt/1' })
  assert.is(path, '/openai/deployments/my%20gpt%2F1/chat/completions?api-version=2024-10-21')
  assert.equal([headers['api-key'], headers.authorization], ['key-1234', undefined])
})

test('without a deployment its name is the model that is asked for', async () => {
  assert.is((await asked({})).path, '/openai/deployments/sample/chat/completions?api-version=2024-10-21')
  const { messages } = subject.body
  assert.is((await asked({ model: 'own' }, { messages })).path.split('/')[3], 'own')
})

test('the newer surface is asked by the body, and with a version only where it has one', async () => {
  const stable = await asked({ deployment: 'mine', api_version: 'v1' })
  assert.equal([stable.path, stable.body.model], ['/openai/v1/chat/completions', 'mine'])
  const preview = await asked({ deployment: 'mine', api_version: 'preview' })
  assert.is(preview.path, '/openai/v1/chat/completions?api-version=preview')
})

test('the responses format has one path for all deployments, which the body names', async () => {
  for (const [version, path] of [
    ['v1', '/openai/v1/responses'],
    ['preview', '/openai/v1/responses?api-version=preview'],
    ['2025-04-01-preview', '/openai/responses?api-version=2025-04-01-preview'],
  ] as const)
    await bench(
      { ...subject, format: responses },
      async ({ upstream, provider, call }) => {
        upstream.script({ json: { id: 'resp_1', object: 'response', status: 'completed', output: [], usage: null } })
        await provider.complete(call({ model: 'sample', input: 'hello' }))
        assert.equal([upstream.calls[0]?.path, upstream.calls[0]?.body?.model], [path, 'mine'])
        assert.is(upstream.calls[0]?.headers['api-key'], 'key-1234')
      },
      { wire: 'responses', deployment: 'mine', api_version: version },
    )
})

test('a vendor that may keep nothing is told so, whatever the client says', () =>
  bench(
    { ...subject, format: responses },
    async ({ upstream, provider, call }) => {
      upstream.script(() => ({
        json: { id: 'resp_1', object: 'response', status: 'completed', output: [], usage: null },
      }))
      for (const more of [{}, { store: true }]) await provider.complete(call({ model: 'a', input: 'hello', ...more }))
      assert.equal(
        upstream.calls.map(({ body }) => body?.store),
        [false, false],
      )
    },
    { wire: 'responses', api_version: 'v1', store: false },
  ))

test('a token is sent as one only if the operator says so', async () => {
  const { headers } = await asked({ auth: 'bearer' })
  assert.equal([headers['api-key'], headers.authorization], [undefined, 'Bearer key-1234'])
})

test('the rules are those of the model behind the deployment, whatever the client calls it', async () => {
  const body = { ...subject.body, model: 'gpt-4o', temperature: 0.5, max_tokens: 9 }
  const reasoning = await asked({ deployment: 'prod', model: 'o3' }, body)
  assert.equal([reasoning.body.temperature, reasoning.body.max_completion_tokens], [undefined, 9])
  const plain = await asked({ deployment: 'prod', model: 'gpt-4o' }, { ...body, model: 'o3' })
  assert.equal([plain.body.temperature, plain.body.max_tokens], [0.5, 9])
  const named = await asked({ deployment: 'o3' }, body)
  assert.is(named.body.temperature, undefined)
})

test('a call that names no deployment at all is left to other providers', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const { reason, param, message } = await failure(provider.complete(call({ messages: subject.body.messages })))
    assert.equal([reason, param, upstream.calls.length], ['unsayable', 'model', 0])
    assert.match(message, 'azure_deployment_id')
  }))

test('a name that leads to another path is no deployment', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    for (const model of ['..', '.', 'a/../../b', '%2e%2e', 'a\\b']) {
      const { reason, param } = await failure(provider.complete(call({ ...subject.body, model })))
      assert.equal([reason, param], ['unsayable', 'model'], model)
    }
    assert.is(upstream.calls.length, 0)
  }))

test('a stream that begins with what the content filter thinks of the prompt is one', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const chunk = (more: object): string =>
      `data: ${JSON.stringify({ id: '', object: '', created: 0, model: '', choices: [], ...more })}\n\n`
    const choice = (delta: object, finish: string | null): object => ({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt-4o',
      choices: [
        {
          index: 0,
          delta,
          finish_reason: finish,
          content_filter_results: { hate: { filtered: false, severity: 'safe' } },
        },
      ],
    })
    upstream.script({
      sse: [
        chunk({ prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }),
        chunk(choice({ role: 'assistant', content: '' }, null)),
        chunk(choice({ content: 'hello' }, null)),
        chunk(choice({}, 'stop')),
        chunk({ usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }),
        'data: [DONE]\n\n',
      ],
    })
    const answer = await provider.complete(call({ ...subject.body, stream: true }))
    const { frames, error } = await readFrames(answer)
    assert.is(error, undefined)
    assert.is(textOf(frames), 'hello')
    assert.match(frames[0]?.wire ?? '', 'prompt_filter_results')
    assert.is(answer.kind === 'live' && (await answer.whole).completion.usage?.input, 3)
  }))

test('a refusal by the content filter is the client’s to read, and goes nowhere else', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    upstream.script({
      status: 400,
      json: {
        error: {
          message: 'The response was filtered due to the prompt triggering the content management policy.',
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { hate: { filtered: true } } },
        },
      },
    })
    const error = await failure(provider.complete(call(subject.body)))
    assert.equal([error.reason, error.status, error.code], ['bad_request', 400, 'content_filter'])
    assert.match(error.message, 'content management policy')
  }))

for (const [title, options, said] of [
  [
    'a path',
    { url: 'https://mine.openai.azure.com/openai/deployments/x' },
    'bare endpoint, https://mine.openai.azure.com',
  ],
  ['a query', { url: 'https://mine.openai.azure.com/?api-version=1' }, 'bare endpoint'],
  ['no version', { api_version: undefined }, 'azure_api_version'],
  ['a version that is none', { api_version: '2024' }, 'azure_api_version'],
] as const)
  test(`${title} in the options is refused with what to do`, () => {
    const given = { ...aliases.azure?.options, url: 'https://mine.openai.azure.com', api_version: 'v1', ...options }
    const { error } = plugin.options.safeParse(given)
    assert.match(error?.message ?? '', said)
  })

test('a slash after the endpoint is none of its path', () => {
  const given = { ...aliases.azure?.options, url: 'https://mine.openai.azure.com/', api_version: 'v1' }
  assert.ok(plugin.options.safeParse(given).success)
})

test('the settings alone make one', async () => {
  const upstream = await startUpstream()
  upstream.script({ text: 'from afar' })
  const gateway = await startGateway({
    provider: 'azure',
    upstream: { ...upstream, url: `http://127.0.0.1:${upstream.port}` },
    settings: { SERVICE__AZURE_DEPLOYMENT_ID: 'mine', SERVICE__AZURE_API_VERSION: '2024-10-21' },
  })
  const { status, json, headers } = await gateway.post('/v1/chat/completions', subject.body)
  assert.equal([status, json.choices[0].message.content], [200, 'from afar'])
  assert.is(headers.get('x-service-provider'), 'azure')
  assert.is(upstream.calls[0]?.path, '/openai/deployments/mine/chat/completions?api-version=2024-10-21')
  assert.is(upstream.calls[0]?.headers['api-key'], 'test-key')
})

test('without an API version the gateway says at start which setting is missing', async () => {
  const upstream = await startUpstream()
  let said = ''
  await startGateway({ provider: 'azure', upstream: { ...upstream, url: `http://127.0.0.1:${upstream.port}` } }).catch(
    error => {
      said = String(error)
    },
  )
  assert.match(said, 'azure_api_version')
})

test('prompts of other formats are written for it', () =>
  bench(subject, async ({ upstream, provider }) => {
    const { messages } = await import('deflector/formats/messages')
    const body = { model: 'claude-x', max_tokens: 7, messages: [{ role: 'user', content: 'hello' }] }
    const prompt = promptOf(messages, Buffer.from(JSON.stringify(body)), body)
    const facts = { model: undefined, stream: false, key: 'k', requestId: 'r', headers: {} }
    await provider.complete({ prompt, ...facts, ...waiting() })
    assert.is(upstream.calls[0]?.body?.max_completion_tokens, 7)
    assert.is(upstream.calls[0]?.path, '/openai/deployments/claude-x/chat/completions?api-version=2024-10-21')
  }))

test.run()
