import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFAULT_PIPELINE, startGateway, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'
import { startUpstream } from '../support/upstream.ts'

/** D46: a client's own token goes to its own vendor only, and what it was answered is for nobody else. */

const one = await startUpstream()
const two = await startUpstream()
test.before.each(() => {
  one.clear()
  two.clear()
})
test.after(async () => {
  await one.close()
  await two.close()
})

class Lines implements Log {
  text = ''
  debug = (...given: unknown[]): void => this.#add(given)
  info = (...given: unknown[]): void => this.#add(given)
  warn = (...given: unknown[]): void => this.#add(given)
  error = (...given: unknown[]): void => this.#add(given)
  #add(given: unknown[]): void {
    this.text += JSON.stringify(given)
  }
}

/** The shipped pipeline before two vendors, whose keys have forms of their own. */
function pipeline(host = '127.0.0.1'): string {
  const entry = (url: string, form: string) =>
    JSON.stringify({
      use: 'chat-completions',
      options: { url, model: 'own', api_key: 'configured', client_credentials: { form, host } },
    })
  const providers = `  openai: ${entry(one.url, '^one-key-')}\n  groq: ${entry(two.url, '^two-key-')}\n`
  const shipped = readFileSync(DEFAULT_PIPELINE, 'utf8')
  const file = join(tempFolder(), 'pipeline.yaml')
  writeFileSync(
    file,
    shipped.replace("  ...: '${provider_entries}'\n", () => providers),
  )
  return file
}

async function start(settings: Record<string, string> = {}, log?: Log, host?: string): Promise<TestGateway> {
  return startGateway({
    upstream: one,
    pipeline: pipeline(host),
    ...(log && { log }),
    settings: {
      SERVICE__FORWARD_CLIENT_CREDENTIALS: 'true',
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([{ provider: 'groq', url: two.url, api_key: 'k' }]),
      ...settings,
    },
  })
}

let n = 0
const chat = (content = `hello ${n++}`) => ({ model: 'm', messages: [{ role: 'user', content }] })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const sent = (upstream: typeof one) => upstream.calls.map(({ headers }) => headers.authorization)

test('off, a client’s own credential goes nowhere', async () => {
  const gateway = await start({ SERVICE__FORWARD_CLIENT_CREDENTIALS: 'false' })
  one.script({ text: 'a' })
  await gateway.post('/v1/chat/completions', chat(), bearer('one-key-alice'))
  assert.equal(sent(one), ['Bearer configured'])
  await gateway.close()
})

test('a credential goes to its own vendor alone, and others get what is configured', async () => {
  const gateway = await start()
  one.script({ text: 'a' }, { status: 400 }, { status: 401 })
  two.script({ text: 'b' })
  await gateway.post('/v1/chat/completions', chat(), bearer('one-key-alice'))
  await gateway.post('/v1/chat/completions', chat(), bearer('two-key-alice'))
  const third = await gateway.post('/v1/chat/completions', chat(), bearer('one-key-alice'))
  assert.equal(sent(one), ['Bearer one-key-alice', 'Bearer configured', 'Bearer one-key-alice'])
  assert.equal([third.headers.get('x-service-provider'), sent(two)], ['groq', ['Bearer configured']])
  await gateway.post('/v1/chat/completions', { ...chat(), model: 'groq/own' }, { 'x-api-key': 'two-key-alice' })
  assert.equal(sent(two), ['Bearer configured', 'Bearer two-key-alice'])
  await gateway.close()
})

test('caches are apart by credential: of conversations and of vectors', async () => {
  const gateway = await start()
  const body = chat()
  one.script(...['alice', 'bob', 'nobody'].map(who => ({ text: `for ${who}` })))
  for (const who of ['alice', 'bob', 'alice', 'nobody', 'nobody']) {
    const headers = who === 'nobody' ? {} : bearer(`one-key-${who}`)
    const { json } = await gateway.post('/v1/chat/completions', body, headers)
    assert.is(json.choices[0].message.content, `for ${who}`)
  }
  assert.equal(sent(one), ['Bearer one-key-alice', 'Bearer one-key-bob', 'Bearer configured'])
  one.clear()
  const vectors = { raw: JSON.stringify({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }] }) }
  one.script(vectors, vectors)
  for (const who of ['alice', 'bob', 'alice'])
    await gateway.post('/v1/embeddings', { model: 'm', input: 'x' }, bearer(`one-key-${who}`))
  assert.equal(sent(one), ['Bearer one-key-alice', 'Bearer one-key-bob'])
  await gateway.close()
})

test('two clients that ask the same at once share no call', async () => {
  const gateway = await start()
  const body = chat()
  one.script({ text: 'x' }, { text: 'x' })
  await Promise.all(['alice', 'bob'].map(who => gateway.post('/v1/chat/completions', body, bearer(`one-key-${who}`))))
  assert.equal(sent(one).sort(), ['Bearer one-key-alice', 'Bearer one-key-bob'])
  await gateway.close()
})

test('calls that are asked once have it, too', async () => {
  const gateway = await start()
  one.script({ raw: '{"object":"list","data":[]}' })
  await gateway.get('/v1/files', bearer('one-key-alice'))
  assert.equal(sent(one), ['Bearer one-key-alice'])
  await gateway.close()
})

test('a gateway key stays here, whatever its form', async () => {
  const gateway = await start({ SERVICE__GATEWAY_API_KEY: 'one-key-gateway' })
  one.script({ text: 'a' }, { text: 'b' })
  const alone = await gateway.post('/v1/chat/completions', chat(), bearer('one-key-gateway'))
  assert.is(alone.status, 200)
  const both = { 'x-api-key': 'one-key-gateway', ...bearer('one-key-alice') }
  await gateway.post('/v1/chat/completions', chat(), both)
  assert.equal(sent(one), ['Bearer configured', 'Bearer one-key-alice'])
  assert.is((await gateway.post('/v1/chat/completions', chat(), bearer('one-key-alice'))).status, 401)
  await gateway.close()
})

test('another host than the vendor’s gets none', async () => {
  const gateway = await start({}, undefined, 'api.openai.com')
  one.script({ text: 'a' })
  await gateway.post('/v1/chat/completions', chat(), bearer('one-key-alice'))
  assert.equal(sent(one), ['Bearer configured'])
  await gateway.close()
})

test('no log and no error holds it', async () => {
  const log = new Lines()
  const gateway = await start({}, log)
  const error = { error: { message: 'Incorrect API key provided: one-key-alice', type: 'invalid_request_error' } }
  one.script({ status: 401, raw: JSON.stringify(error) }, { status: 400, raw: JSON.stringify(error) })
  two.script({ status: 503 })
  const texts: string[] = []
  for (let at = 0; at < 2; at++)
    texts.push((await gateway.post('/v1/chat/completions', chat(), bearer('one-key-alice'))).text)
  assert.equal(sent(one), ['Bearer one-key-alice', 'Bearer one-key-alice'])
  assert.match(texts.join('\n'), 'Incorrect API key')
  await gateway.close()
  assert.ok(log.text.length > 0)
  assert.not.match(log.text + texts.join(), 'one-key-alice')
})

test.run()
