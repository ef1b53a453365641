import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log } from '../../core/host.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

interface Started {
  readonly gateway: TestGateway
  readonly primary: Upstream
  readonly backup: Upstream
  readonly warnings: string[]
}

/** An OpenAI primary and an Anthropic fallback. */
async function started(settings: Readonly<Record<string, string>> = {}): Promise<Started> {
  const [primary, backup] = [await startUpstream(), await startUpstream()]
  const warnings: string[] = []
  const silent = (): void => {}
  const log: Log = { debug: silent, info: silent, error: silent, warn: message => void warnings.push(message) }
  const gateway = await startGateway({
    upstream: primary,
    provider: 'openai',
    log,
    settings: {
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
        { provider: 'anthropic', url: backup.url, api_key: 'k2', model: 'claude-own' },
      ]),
      SERVICE__MODEL_ALIASES: '{"quick":"stub-model"}',
      ...settings,
    },
  })
  return { gateway, primary, backup, warnings }
}

const idsOf = async (gateway: TestGateway): Promise<string[]> =>
  (await gateway.get('/v1/models')).json.data.map(({ id }: { id: string }) => id)

const OPENAI_LIST = { object: 'list', data: [{ id: 'gpt-a', created: 1_700_000_000 }, { id: 'gpt-b' }, { odd: true }] }
const ANTHROPIC_LIST = {
  data: [
    { type: 'model', id: 'claude-a', display_name: 'Claude A', created_at: '2026-01-02T00:00:00Z', max_tokens: 64000 },
  ],
  has_more: false,
}
const LISTING = { SERVICE__LIST_VENDOR_MODELS: 'true' }

// R11, D28
test('the official SDKs list the models, and find any that a chat would be answered with', async () => {
  const { gateway } = await started()
  const openai = new OpenAI({ apiKey: 'k', baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const anthropic = new Anthropic({ apiKey: 'k', baseURL: gateway.url, maxRetries: 0 })
  const listed: string[] = []
  for await (const { id } of openai.models.list()) listed.push(id)
  assert.equal(listed, ['stub-model', 'claude-own', 'quick'])
  const pages: string[] = []
  for await (const { id, display_name } of anthropic.models.list()) pages.push(`${id} ${display_name}`)
  assert.equal(pages, ['stub-model stub-model', 'claude-own claude-own', 'quick quick'])
  for (const id of ['gpt-4o', 'org/some-model']) {
    const asked = { model: id, messages: [{ role: 'user' as const, content: 'hi' }] }
    assert.ok((await openai.chat.completions.create(asked)).id)
    assert.is((await openai.models.retrieve(id)).id, id)
    assert.is((await anthropic.models.retrieve(id)).id, id)
  }
  await gateway.close()
})

test('clients of generate-content list and find models in their own form, under either version', async () => {
  const { gateway } = await started()
  const list = await gateway.get('/v1beta/models?pageSize=50')
  assert.equal(
    list.json.models.map(({ name }: { name: string }) => name),
    ['models/stub-model', 'models/claude-own', 'models/quick'],
  )
  assert.ok(list.json.models[0].supportedGenerationMethods.includes('generateContent'))
  assert.is((await gateway.get('/v1beta/models/gemini-x')).json.name, 'models/gemini-x')
  const google = { 'x-goog-api-key': 'k' }
  assert.is((await gateway.get('/v1/models', google)).json.models.length, 3)
  assert.is((await gateway.get('/v1/models/gemini-x', google)).json.name, 'models/gemini-x')
  await gateway.close()
})

test("a gateway key is asked for in each dialect's own place", async () => {
  const { gateway } = await started({ SERVICE__GATEWAY_API_KEY: 'secret' })
  assert.is((await gateway.get('/v1/models')).status, 401)
  assert.is((await gateway.get('/v1/models', { authorization: 'Bearer secret' })).status, 200)
  const refused = await gateway.get('/v1beta/models')
  assert.equal([refused.status, refused.json.error.code], [401, 401])
  assert.is((await gateway.get('/v1beta/models', { 'x-goog-api-key': 'secret' })).status, 200)
  await gateway.close()
})

test("with list_vendor_models the vendors' lists are told too, fetched once with each one's own key", async () => {
  const { gateway, primary, backup } = await started(LISTING)
  primary.script({ json: OPENAI_LIST })
  backup.script({ json: ANTHROPIC_LIST })
  assert.equal(await idsOf(gateway), ['stub-model', 'claude-own', 'quick', 'gpt-a', 'gpt-b', 'anthropic/claude-a'])
  const { json } = await gateway.get('/v1/models/anthropic/claude-a')
  assert.equal(
    [json.owned_by, json.display_name, json.created_at, json.max_tokens],
    ['anthropic', 'Claude A', '2026-01-02T00:00:00.000Z', 64000],
  )
  assert.is((await gateway.get('/v1/models/gpt-a')).json.created, 1_700_000_000)
  assert.is((await gateway.get('/v1beta/models/anthropic/claude-a')).json.outputTokenLimit, 64000)
  assert.equal(
    [...primary.calls, ...backup.calls].map(({ method, path, headers }) => [
      method,
      path,
      headers.authorization ?? headers['x-api-key'],
    ]),
    [
      ['GET', '/v1/models', 'Bearer test-key'],
      ['GET', '/v1/models?limit=1000', 'k2'],
    ],
  )
  await gateway.close()
})

test('a vendor that fails is left out with a warning, and asked again later', async () => {
  const { gateway, primary, backup, warnings } = await started(LISTING)
  primary.script({ status: 429 })
  backup.script({ json: ANTHROPIC_LIST })
  assert.equal(await idsOf(gateway), ['stub-model', 'claude-own', 'quick', 'anthropic/claude-a'])
  assert.ok(warnings.some(warning => warning.includes('does not list its models')))
  await idsOf(gateway)
  assert.is(primary.calls.length, 1, 'not at once')
  // D44: a failed list rests no key.
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
  const chat = await gateway.post('/v1/chat/completions', body)
  assert.equal([chat.status, chat.headers.get('x-service-provider')], [200, 'openai'])
  await gateway.close()
})

test('D41: each listed model is answered by the provider that it is listed for', async () => {
  const { gateway, primary, backup } = await started({
    ...LISTING,
    SERVICE__MODEL_ALIASES: '{"smart":"anthropic/claude-b"}',
    SERVICE__MODEL_ROUTES: '{"claude-routed-*":"anthropic"}',
  })
  const more = ['claude-a', 'claude-routed-1', 'claude-own'].map(id => ({
    type: 'model',
    id,
    display_name: `The ${id}`,
  }))
  primary.script(call => (call.method === 'GET' ? { json: OPENAI_LIST } : {}))
  backup.script(call => (call.method === 'GET' ? { json: { data: more, has_more: false } } : {}))
  const ids = await idsOf(gateway)
  for (const id of ['gpt-a', 'anthropic/claude-a', 'claude-routed-1', 'anthropic/claude-own', 'anthropic/claude-b'])
    assert.ok(ids.includes(id), id)
  for (const id of ['claude-a', 'anthropic/claude-routed-1']) assert.not(ids.includes(id), id)
  const asked = [
    ...ids.filter(id => id !== 'claude-own'),
    'anthropic/claude-x',
    'anthropic/claude-routed-1',
    'openai/gpt-a',
  ]
  for (const model of asked) {
    const chat = await gateway.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: model }] })
    const { owned_by: owner } = (await gateway.get(`/v1/models/${model}`)).json
    assert.is(owner.replace('alias:', ''), chat.headers.get('x-service-provider'), model)
  }
  const { json } = await gateway.get('/v1/models/anthropic/claude-routed-1')
  assert.equal([json.id, json.display_name], ['anthropic/claude-routed-1', 'The claude-routed-1'])
  assert.is((await gateway.get('/v1beta/models/anthropic/claude-a')).json.name, 'models/anthropic/claude-a')
  await gateway.close()
})

test('a list that cannot be read counts as none', async () => {
  const { gateway, primary, backup } = await started(LISTING)
  primary.script({ garbage: true })
  backup.script({ json: { data: 'none' } })
  assert.equal(await idsOf(gateway), ['stub-model', 'claude-own', 'quick'])
  await gateway.close()
})

test.run()
