import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { endpoints } from '../../plugins/facets/endpoints.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { schemaFaults } from '../support/json-schema.ts'
import { startUpstream } from '../support/upstream.ts'

const KEY = { 'x-api-key': 'key-of-the-gateway' }

const context: { gateway?: TestGateway } = {}
test.before(async () => {
  const settings = {
    SERVICE__GATEWAY_API_KEY: KEY['x-api-key'],
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '100000',
    SERVICE__ENABLE_REQUEST_LOGS: 'true',
    SERVICE__ENABLE_METRICS: 'true',
  }
  context.gateway = await startGateway({ upstream: await startUpstream(), settings })
  for (const prompt of ['What is a heron?', 'What is a heron?']) await gatewayOf().post('/api/chat', { prompt }, KEY)
})
test.after(() => context.gateway?.close())

const gatewayOf = (): TestGateway => {
  if (!context.gateway) throw new Error('the gateway is not started')
  return context.gateway
}

const described = () => [...gatewayOf().gateway.offers(endpoints).values()].flat()

/** The parts of JSON Schema that we use. */
const schemaShape: z.ZodType = z.looseObject({
  type: z
    .union([
      z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']),
      z.array(z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])),
    ])
    .optional(),
  get properties() {
    return z.record(z.string(), schemaShape).optional()
  },
  get items() {
    return schemaShape.optional()
  },
  get anyOf() {
    return z.array(schemaShape).min(1).optional()
  },
  required: z.array(z.string()).optional(),
  $schema: z.never().optional(),
})
const content = z.record(z.string(), z.looseObject({ schema: schemaShape.optional() }))
/** What the validator leaves out: schemas, names of credentials, and where parameters stand. */
const operation = z.looseObject({
  operationId: z.string().regex(/^\w+$/),
  security: z.array(z.strictObject({ key: z.tuple([]).optional(), bearer: z.tuple([]).optional() })),
  parameters: z.array(z.looseObject({ name: z.string().min(1), in: z.enum(['path', 'query']), schema: schemaShape })),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: content.optional() })),
})
const documentShape = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) })

test('the document is OpenAPI 3.1, open to everybody, and has every route', async () => {
  const { status, json, text } = await gatewayOf().get('/openapi.json')
  assert.is(status, 200)
  const validator = new Validator()
  assert.equal(await validator.validate(structuredClone(json)), { valid: true })
  assert.is(validator.version, '3.1')
  const read = documentShape.safeParse(json)
  assert.ok(read.success, read.error && z.prettifyError(read.error))
  for (const [path, methods] of Object.entries(read.data?.paths ?? {})) {
    const template = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const { parameters } of Object.values(methods))
      assert.equal(
        parameters.flatMap(one => (one.in === 'path' ? [one.name] : [])),
        template,
        path,
      )
  }
  const operations = Object.entries<Record<string, { operationId: string }>>(json.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operationId,
    })),
  )
  const names = operations.map(({ name }) => name)
  const routes = new Set(gatewayOf().gateway.current.routing.routes.map(({ method, path }) => `${method} ${path}`))
  for (const route of routes) if (!/[:*]/.test(route)) assert.ok(names.includes(route), route)
  assert.is(names.length, routes.size)
  assert.is(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  assert.not.match(text, KEY['x-api-key'])
})

test('it says who may ask: nobody needs a key for health, the operator one for the settings', async () => {
  const { paths } = (await gatewayOf().get('/openapi.json')).json
  assert.equal(paths['/health'].get.security, [])
  assert.equal(paths['/api/admin/config'].post.security, [{ key: [] }, { bearer: [] }])
  assert.ok(paths['/v1beta/models/{model}:generateContent'].post)
  assert.is(paths['/api/admin/requests'].get.parameters[0].in, 'query')
})

test('every route of the operator says what it answers, and what is described is there', () => {
  const { routes } = gatewayOf().gateway.current.routing
  const known = new Map(described().map(one => [`${one.method} ${one.path}`, one]))
  const owed = routes.filter(({ admin }) => admin).map(({ method, path }) => `${method} ${path}`)
  assert.equal(
    owed.filter(name => !known.get(name)?.answer && !known.get(name)?.stream && !known.get(name)?.text),
    [],
  )
  const there = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  assert.equal(
    [...known.keys()].filter(name => !there.has(name)),
    [],
  )
})

const BODIES: Readonly<Record<string, object>> = {
  '/api/chat': { prompt: 'What is an ibis?' },
  '/api/v1/chat': { prompt: 'What is an ibis?' },
  '/api/v1/cache/lookup': { prompt: 'What is a heron?' },
  '/api/v1/cache/store': { prompt: 'What is a crane?', response: 'A bird.' },
  '/api/admin/cache/forget': { request_id: 'nobody' },
  '/api/admin/cache/why': { prompt: 'Who is there?' },
  '/api/admin/providers/test': { provider: 'openai' },
  '/api/admin/config': { cache_ttl_secs: 299 },
  '/api/admin/config/check': { cache_ttl_secs: 298 },
  '/api/admin/providers/add': { provider: 'groq', name: 'spare', api_key: 'k' },
  '/api/admin/providers/edit': { name: 'spare', model: 'other' },
  '/api/admin/providers/move': { name: 'spare', position: 1 },
  '/api/admin/providers/remove': { name: 'spare' },
}

test('what a running gateway answers is what is described: every field, and none beside', async () => {
  const { get, post } = gatewayOf()
  const [latest] = (await get('/api/admin/requests', KEY)).json.entries
  const inOrder = described().toSorted((a, b) => rank(a.path) - rank(b.path))
  for (const { method, path, body, answer } of inOrder) {
    if (!answer) continue
    const name = `${method} ${path}`
    const sent = BODIES[path] ?? {}
    const asked = path.replace(':id', latest.request_id)
    if (method === 'POST' && body) assert.equal(body.parse(sent), sent, name)
    const reply = method === 'GET' ? await get(asked, KEY) : await post(asked, sent, KEY)
    assert.is(reply.status, 200, `${name}: ${reply.text}`)
    const read = answer.safeParse(reply.json)
    assert.ok(read.success, `${name}: ${read.error && z.prettifyError(read.error)}`)
    assert.equal(read.data, reply.json, name)
  }
})

/** A provider is added before it is changed, and removed last. */
function rank(path: string): number {
  return ['add', 'edit', 'move', 'remove'].indexOf(path.split('/').at(-1) ?? '')
}

interface Described {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}
type Document = {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>>
  >
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}
const documentOfGateway = async (): Promise<Document> => (await gatewayOf().get('/openapi.json')).json

/** What a reply says that the document does not. */
function undescribed({ components }: Document, described: Described | undefined, text: string): string[] {
  const schema = described?.content?.['application/json']?.schema
  if (!schema) return ['no schema']
  return schemaFaults({ ...schema, components }, text)
}

test('every error has a schema, and each pointer leads to one', async () => {
  const document = await documentOfGateway()
  const text = JSON.stringify(document)
  const pointed = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name))
  assert.equal([...pointed].toSorted(), Object.keys(document.components.schemas).toSorted())
  const spoken = ['chat-completions', 'generate-content', 'mcp', 'messages', 'native', 'responses']
  assert.equal(
    [...pointed].toSorted(),
    spoken.map(name => `${name}-error`),
  )
  assert.equal(document.components.schemas['native-error'], {
    type: 'object',
    properties: { error: { type: 'string' }, message: { type: 'string' }, request_id: { type: 'string' } },
    required: ['error', 'message', 'request_id'],
  })
})

test('a 401 is stated where a key is asked for and nowhere else, and looks as described', async () => {
  const document = await documentOfGateway()
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(methods)) {
      const name = `${method} ${path}`
      const reply = await fetch(gatewayOf().url + path.replace(/\{\w+\}/g, 'anything'), {
        method: method.toUpperCase(),
        redirect: 'manual',
        ...(method === 'post' && { body: '{}', headers: { 'content-type': 'application/json' } }),
      })
      assert.is(reply.status === 401, responses['401'] !== undefined, `${name}: ${reply.status}`)
      if (reply.status === 401) assert.equal(undescribed(document, responses['401'], await reply.text()), [], name)
      else await reply.body?.cancel()
    }
})

test('what is not there is a 404, and what does not go with the settings a 409, as described', async () => {
  const { get, post, folder } = gatewayOf()
  const document = await documentOfGateway()
  const check = (path: string, method: 'get' | 'post', { status, text }: { status: number; text: string }): void => {
    const described = document.paths[path]?.[method]?.responses[status]
    assert.equal(undescribed(document, described, text), [], `${method} ${path} ${status}: ${text}`)
  }
  const unknown = await get('/api/admin/requests/nobody', KEY)
  assert.is(unknown.status, 404)
  check('/api/admin/requests/{id}', 'get', unknown)
  // A file that somebody broke by hand is not changed by any of these.
  writeFileSync(join(folder, 'service.toml'), 'no such setting = 1')
  const stated = Object.entries(document.paths).flatMap(([path, methods]) =>
    methods.post?.responses['409'] ? [path] : [],
  )
  assert.equal(stated.toSorted(), [
    '/api/admin/config',
    '/api/admin/config/check',
    '/api/admin/config/reload',
    '/api/admin/providers/add',
    '/api/admin/providers/edit',
    '/api/admin/providers/move',
    '/api/admin/providers/remove',
  ])
  for (const path of stated) {
    const reply = await post(`${path}?revision=of-another-time`, BODIES[path] ?? {}, KEY)
    assert.is(reply.status, 409, `${path}: ${reply.text}`)
    check(path, 'post', reply)
  }
})

test('what MCP answers is described, under both forms of its path', async () => {
  const document = await documentOfGateway()
  const [listed, type] = [{ accept: 'application/json, text/event-stream' }, { 'content-type': 'application/json' }]
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
  const begin = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  for (const path of ['/mcp', '/mcp/']) {
    const asked = async (method: string, status: number, headers: Record<string, string>, body?: object) => {
      const init = { method, headers: { ...listed, ...type, ...headers }, ...(body && { body: JSON.stringify(body) }) }
      const reply = await fetch(gatewayOf().url + path, init)
      const name = `${method} ${path} ${reply.status}`
      const described = document.paths['/mcp']?.[method.toLowerCase()]?.responses[reply.status]
      assert.is(reply.status, status, name)
      assert.ok(described, name)
      if (status >= 400) assert.equal(undescribed(document, described, await reply.text()), [], name)
      else await reply.body?.cancel()
      return { 'mcp-session-id': reply.headers.get('mcp-session-id') ?? '' }
    }
    const session = await asked('POST', 200, {}, begin)
    await asked('POST', 202, session, { jsonrpc: '2.0', method: 'notifications/initialized' })
    await asked('POST', 400, {}, { jsonrpc: '2.0', id: 2, method: 'tools/list' })
    await asked('POST', 406, { accept: 'text/html' }, begin)
    await asked('POST', 415, { 'content-type': 'text/plain' }, begin)
    for (const method of ['GET', 'DELETE']) {
      await asked(method, 400, {})
      await asked(method, 400, { ...session, 'mcp-protocol-version': '1999-01-01' })
      await asked(method, 403, { origin: 'https://other.example' })
      await asked(method, 404, { 'mcp-session-id': 'unknown' })
    }
    await asked('GET', 406, { ...session, accept: 'text/html' })
    const stream = await fetch(gatewayOf().url + path, { headers: { ...listed, ...session } })
    await asked('GET', 409, session)
    await stream.body?.cancel()
    await asked('DELETE', 200, session)
  }
})

test('a quota that is used up is a 429 in the dialect of each client, as described', async () => {
  const settings = { SERVICE__QUOTA: '{"openai": {"daily_token_limit": 1, "action_on_limit": "block"}}' }
  const { get, post } = await startGateway({ upstream: await startUpstream(), settings })
  const document: Document = (await get('/openapi.json')).json
  const contents = [{ role: 'user', parts: [{ text: 'What is a swan?' }] }]
  const messages = [{ role: 'user', content: 'What is a swan?' }]
  const asked = {
    '/api/chat': { prompt: 'What is a swan?' },
    '/v1/chat/completions': { messages },
    '/v1/messages': { messages, max_tokens: 9, model: 'm' },
    '/v1/responses': { input: 'What is a swan?' },
    '/v1beta/models/{model}:generateContent': { contents },
  }
  for (const [path, body] of Object.entries(asked)) {
    const reply = await post(path.replace('{model}', 'm'), body)
    assert.is(reply.status, 429, path)
    const described = document.paths[path]?.post?.responses['429']
    assert.equal(undescribed(document, described, reply.text), [], `${path}: ${reply.text}`)
    assert.not.equal(undescribed(document, described, '{"error": 1}'), [], path)
  }
})

test.run()
