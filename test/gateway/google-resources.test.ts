import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GoogleGenAI } from '@google/genai'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const file = (id: string) => ({
  name: `files/${id}`,
  uri: `https://vendor.example/v1beta/files/${id}`,
  state: 'ACTIVE',
})

/** A vendor that takes uploads as Google does; the address that it names holds the key. */
async function startGoogle(): Promise<Upstream> {
  const upstream = await startUpstream()
  upstream.script(({ path, headers }) => {
    const command = headers['x-goog-upload-command']
    if (!path.startsWith('/upload/')) return undefined
    if (command === 'start') {
      const url = `${new URL(upstream.url).origin}/upload/v1beta/files?upload_id=AB-1&upload_protocol=resumable`
      const there = `${url}&key=test-key`
      const headers = {
        'x-goog-upload-url': there,
        'x-goog-upload-control-url': there,
        'x-goog-upload-status': 'active',
      }
      return { raw: '', headers: { ...headers, 'x-goog-upload-secret': 'test-key' } }
    }
    if (command === 'upload') return { raw: '', headers: { 'x-goog-upload-status': 'active' } }
    return { json: { file: file('big') }, headers: { 'x-goog-upload-status': 'final' } }
  })
  return upstream
}

const said = ({ calls }: Upstream): string[] => calls.map(({ method, path }) => `${method} ${path}`)

test("Google's own library uploads a file in pieces by way of the gateway, looks at it and deletes it", async () => {
  const upstream = await startGoogle()
  const gateway = await startGateway({ upstream, provider: 'gemini' })
  const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: gateway.url } })
  // More than one piece of 8 MiB, which is JSON to nobody.
  const bytes = Buffer.alloc((8 << 20) + 5, '{')
  const uploaded = await client.files.upload({
    file: new Blob([bytes]),
    config: { mimeType: 'application/json', displayName: 'a heron' },
  })
  assert.is(uploaded.name, 'files/big')
  const [begun, first, last] = upstream.calls
  assert.equal(
    [begun?.path, begun?.body?.file],
    ['/upload/v1beta/files', { mimeType: 'application/json', sizeBytes: String(bytes.length), displayName: 'a heron' }],
  )
  assert.is(begun?.headers['x-goog-upload-header-content-type'], 'application/json')
  for (const piece of [first, last]) {
    assert.is(piece?.path, '/upload/v1beta/files?upload_id=AB-1&upload_protocol=resumable')
    assert.is(piece?.headers['x-goog-api-key'], 'test-key')
  }
  assert.equal([first?.headers['x-goog-upload-offset'], last?.headers['x-goog-upload-offset']], ['0', String(8 << 20)])
  assert.ok(Buffer.concat([first?.raw ?? bytes, last?.raw ?? bytes]).equals(bytes))

  upstream.clear()
  upstream.script({ json: file('big') }, { json: { files: [file('big')] } }, { raw: 'the bytes' }, { json: {} })
  assert.is((await client.files.get({ name: 'files/big' })).state, 'ACTIVE')
  assert.is((await client.files.list({ config: { pageSize: 5 } })).page[0]?.name, 'files/big')
  const downloadPath = join(mkdtempSync(join(tempFolder(), 'd')), 'heron')
  await client.files.download({ file: 'files/big', downloadPath })
  await client.files.delete({ name: 'files/big' })
  assert.equal(said(upstream), [
    'GET /v1beta/files/big',
    'GET /v1beta/files?pageSize=5',
    'GET /v1beta/files/big:download?alt=media',
    'DELETE /v1beta/files/big',
  ])
  assert.is(readFileSync(downloadPath, 'utf8'), 'the bytes')
})

test('the address for the pieces is ours, as the client names us, and holds no key', async () => {
  const upstream = await startGoogle()
  const gateway = await startGateway({ upstream, provider: 'gemini' })
  const begin = (headers: Record<string, string>) =>
    gateway.send('/upload/v1beta/files', '{"file":{}}', { 'x-goog-upload-command': 'start', ...headers })
  const { headers } = await begin({})
  assert.not.match(JSON.stringify([...headers]), /test-key/)
  assert.is(headers.get('x-goog-upload-control-url'), headers.get('x-goog-upload-url'))
  const here = '/upload/v1beta/files?upload_id=AB-1&upload_protocol=resumable'
  assert.is(headers.get('x-goog-upload-url'), `${gateway.url}${here}`)
  assert.is(headers.get('x-goog-upload-status'), 'active')
  const secure = await begin({ 'x-forwarded-proto': 'https' })
  assert.is(secure.headers.get('x-goog-upload-url'), `${gateway.url.replace('http:', 'https:')}${here}`)

  upstream.clear()
  upstream.script({ raw: '', headers: { 'x-goog-upload-url': 'https://elsewhere.example/upload/v1beta/files' } })
  const refused = await begin({})
  assert.is(refused.status, 502)
  assert.is(refused.headers.get('x-goog-upload-url'), null)
})

test('cached contents and batches go through, with the alias of a model resolved', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    upstream,
    provider: 'gemini',
    settings: { SERVICE__MODEL_ALIASES: '{"fast":"gemini-9-flash"}' },
  })
  const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: gateway.url } })
  const cached = { name: 'cachedContents/c1', model: 'models/gemini-9-flash' }
  const batch = {
    name: 'batches/b1',
    metadata: { state: 'BATCH_STATE_SUCCEEDED', output: { responsesFile: 'files/r1' } },
  }
  upstream.script({ json: cached }, { json: cached }, { json: cached }, { json: {} })
  const made = await client.caches.create({ model: 'fast', config: { contents: 'a long text', ttl: '60s' } })
  assert.is(made.name, 'cachedContents/c1')
  await client.caches.get({ name: 'cachedContents/c1' })
  await client.caches.update({ name: 'cachedContents/c1', config: { ttl: '90s' } })
  await client.caches.delete({ name: 'cachedContents/c1' })
  upstream.script({ json: batch }, { json: batch }, { json: {} }, { json: {} })
  await client.batches.create({ model: 'fast', src: [{ contents: [{ parts: [{ text: 'hi' }], role: 'user' }] }] })
  assert.is((await client.batches.get({ name: 'batches/b1' })).dest?.fileName, 'files/r1')
  await client.batches.cancel({ name: 'batches/b1' })
  await client.batches.delete({ name: 'batches/b1' })
  assert.equal(said(upstream), [
    'POST /v1beta/cachedContents',
    'GET /v1beta/cachedContents/c1',
    'PATCH /v1beta/cachedContents/c1',
    'DELETE /v1beta/cachedContents/c1',
    'POST /v1beta/models/gemini-9-flash:batchGenerateContent',
    'GET /v1beta/batches/b1',
    'POST /v1beta/batches/b1:cancel',
    'DELETE /v1beta/batches/b1',
  ])
  assert.is(upstream.calls[0]?.body?.model, 'models/gemini-9-flash')
})

test('D33: what one principal made at Google is there for nobody else', async () => {
  const upstream = await startGoogle()
  const keys = ['ann', 'bob'].map(label => ({ key: `key-of-${label}`, label }))
  const gateway = await startGateway({
    upstream,
    provider: 'gemini',
    settings: { SERVICE__GATEWAY_API_KEYS: JSON.stringify(keys) },
  })
  const [ann, bob] = [{ 'x-goog-api-key': 'key-of-ann' }, { 'x-goog-api-key': 'key-of-bob' }]
  const finalize = { 'x-goog-upload-command': 'upload, finalize', 'content-type': 'application/octet-stream' }
  await gateway.send('/upload/v1beta/files?upload_id=AB-1', 'bytes', { ...ann, ...finalize })
  upstream.clear()
  const chat = '/v1beta/models/m:generateContent'
  const asking = {
    contents: [{ role: 'user', parts: [{ fileData: { fileUri: file('big').uri } }, { text: 'what?' }] }],
  }
  const batch = { batch: { input_config: { file_name: 'files/big' } } }
  const inline = { batch: { inputConfig: { requests: { requests: [{ request: asking }] } } } }
  assert.is((await gateway.get('/v1beta/files/big', bob)).status, 404)
  assert.is((await gateway.get('/v1beta/files/big:download?alt=media', bob)).status, 404)
  assert.is((await gateway.get('/download/v1beta/files/big:download?alt=media', bob)).status, 404)
  assert.is((await gateway.get('/v1beta/files', bob)).status, 403)
  assert.is((await gateway.post(chat, asking, bob)).status, 404)
  assert.is((await gateway.post('/v1beta/cachedContents', { model: 'models/m', ...asking }, bob)).status, 404)
  // What a body is said to be hides nothing, nor does where a file stands in it.
  const hidden = [{ 'x-goog-upload-command': 'upload' }, { 'content-type': 'text/plain' }]
  for (const said of hidden)
    assert.is((await gateway.send('/v1beta/cachedContents', JSON.stringify(asking), { ...bob, ...said })).status, 404)
  const parts = [{ fileData: { fileUri: file('big').uri } }]
  assert.is((await gateway.post(chat, { ...asking, contents: [], systemInstruction: { parts } }, bob)).status, 400)
  const instructed = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], systemInstruction: { parts } }
  assert.is((await gateway.post(chat, instructed, bob)).status, 404)
  for (const odd of ['big:%64ownload?alt=media', 'big:download:x', 'big/x', 'big:'])
    assert.is((await gateway.get(`/v1beta/files/${odd}`, bob)).status, 400, odd)
  for (const begun of [batch, inline])
    assert.is((await gateway.post('/v1beta/models/m:batchGenerateContent', begun, bob)).status, 404)
  assert.is(upstream.calls.length, 0)
  const made = { name: 'batches/b1', metadata: { output: { responsesFile: 'files/r1' } } }
  upstream.script({ json: made }, { json: { ...made, done: true } }, { json: { key: 'a line of results' } })
  assert.is((await gateway.post('/v1beta/models/m:batchGenerateContent', batch, ann)).status, 200)
  assert.is((await gateway.get('/v1beta/batches/b1', bob)).status, 404)
  assert.is((await gateway.get('/v1beta/batches/b1', ann)).status, 200)
  assert.is((await gateway.get('/v1beta/files/r1:download?alt=media', ann)).status, 200)
  assert.is((await gateway.get('/v1beta/files/r1:download?alt=media', bob)).status, 404)
  assert.is((await gateway.get('/v1beta/files/..%2f..%2fx', ann)).status, 400)
})

test('a library that sends the pieces without a key finds its own in their address', async () => {
  const upstream = await startGoogle()
  const keys = [{ key: 'key-of-ann', label: 'ann' }]
  const settings = { SERVICE__GATEWAY_API_KEYS: JSON.stringify(keys) }
  const gateway = await startGateway({ upstream, provider: 'gemini', settings })
  const start = { 'x-goog-upload-command': 'start', 'x-goog-api-key': 'key-of-ann' }
  const { headers } = await gateway.send('/upload/v1beta/files', '{"file":{}}', start)
  const url = headers.get('x-goog-upload-url') ?? ''
  const piece = { method: 'POST', body: 'bytes', headers: { 'x-goog-upload-command': 'upload, finalize' } }
  assert.is((await fetch(url, piece)).status, 200)
  assert.not.match(upstream.calls.at(-1)?.path ?? '', /key-of-ann/)
  assert.is((await fetch(url.replace('key-of-ann', 'another'), piece)).status, 401)
})

test('without a vendor of this dialect they are refused in its words', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'openai' })
  const { status, json } = await gateway.get('/v1beta/files/x')
  assert.is(status, 501)
  assert.match(json.error.message, /endpoint/)
})

test.run()
