import { defineProvider, type Provider, ProviderError, promptOf } from 'deflector'
import { type Credentials, credentials, type StoredCredential } from 'deflector/facets/credentials'
import { health } from 'deflector/facets/health'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { httpOptions, httpProvider } from 'deflector/http-provider'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { type TestHost, testHost } from '../../../contracts/host.ts'
import { waiting } from '../../../contracts/waiting.ts'
import { startUpstream, type Upstream } from '../../../support/upstream.ts'
import { failure } from '../vendor-faults.ts'

const acme = defineProvider({
  name: 'acme',
  options: z.strictObject(httpOptions),
  apply: (host, options) =>
    httpProvider(host, options, {
      format: chatCompletions,
      url: base => new URL(`${base}/chat/completions`),
      auth: key => ({ 'x-acme-key': key }),
      isAnswer: body => Array.isArray(body.choices),
      models: { url: base => new URL(`${base}/models`), read: () => [] },
    }),
})

/** Stored credentials by name, which a test changes while the provider runs. */
class Stored implements Credentials {
  readonly entries = new Map<string, StoredCredential>()
  /** What the next `current` and `renewed` give. */
  next: StoredCredential | undefined
  asked: string[] = []

  find(names: readonly string[]): StoredCredential | undefined {
    for (const name of names) if (this.entries.has(name)) return this.entries.get(name)
    return undefined
  }

  set(name: string, key: string, headers?: Record<string, string>): StoredCredential {
    const entry = { name, key, ...(headers && { headers }) }
    this.entries.set(name, entry)
    return entry
  }

  async current(found: StoredCredential): Promise<StoredCredential> {
    this.asked.push(`current ${found.key}`)
    return found
  }

  async renewed(found: StoredCredential): Promise<StoredCredential | undefined> {
    this.asked.push(`renewed ${found.key}`)
    if (this.next) this.entries.set(this.next.name, this.next)
    return this.next
  }
}

interface Made {
  readonly provider: Provider
  readonly stored: Stored
  readonly host: TestHost<'provider'>
  ask(key?: string): Promise<unknown>
}

function made(upstream: Upstream, options: object = {}): Made {
  const stored = new Stored()
  const offers = { role: 'observer', name: 'credentials' } as const
  const host = testHost('provider', { name: 'acme-eu', offers: facets => facets.offer(credentials, offers, stored) })
  const given = { url: upstream.url, key_required: true, vendor_names: ['acme', 'acme-ai'], ...options }
  const provider = host.apply(acme, given)
  const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  const prompt = promptOf(chatCompletions, Buffer.from(JSON.stringify(body)), body)
  const ask = (key = provider.keys?.()[0]?.key): Promise<unknown> =>
    provider.complete({ prompt, model: 'm', stream: false, key, requestId: 'r', headers: {}, ...waiting() })
  return { provider, stored, host, ask }
}

const keyOf = (upstream: Upstream): unknown => upstream.calls.at(-1)?.headers['x-acme-key']

test('the key of the instance comes before those of the vendor, and each is there from the next call on', async () => {
  const upstream = await startUpstream()
  const { provider, stored, host, ask } = made(upstream)
  const status = host.offer(health)
  assert.equal(provider.keys?.(), [])
  assert.is(status?.(), 'no_credential')
  stored.set('acme-ai', 'sk-3')
  assert.equal(provider.keys?.(), [{ key: 'sk-3', label: 'stored' }])
  assert.is(status?.(), 'active')
  stored.set('acme', 'sk-2')
  await ask()
  assert.is(keyOf(upstream), 'sk-2')
  stored.set('acme-eu', 'sk-1')
  await ask()
  assert.is(keyOf(upstream), 'sk-1')
  assert.is(provider.keys?.(), provider.keys?.(), 'the pool is not made anew for every call')
})

test('a configured key is never mixed with a stored one', async () => {
  const upstream = await startUpstream()
  const { provider, stored, ask } = made(upstream, { api_key: 'sk-configured' })
  stored.set('acme-eu', 'sk-1')
  assert.equal(provider.keys?.(), [{ key: 'sk-configured' }])
  await ask()
  assert.is(keyOf(upstream), 'sk-configured')
  assert.equal(stored.asked, [])
})

test("a vendor that needs no key is sent a stored one, and a client's own key stays the client's", async () => {
  const upstream = await startUpstream()
  const { provider, stored, ask } = made(upstream, { key_required: false })
  assert.is(provider.keys, undefined)
  await ask()
  assert.is(keyOf(upstream), undefined)
  stored.set('acme', 'sk-stored')
  await ask()
  assert.is(keyOf(upstream), 'sk-stored')
  await ask('sk-of-a-client')
  assert.is(keyOf(upstream), 'sk-of-a-client')
})

test('a token is shown by its own headers, also for the list of models', async () => {
  const upstream = await startUpstream()
  const { provider, stored, ask } = made(upstream)
  stored.set('acme', 'token', { authorization: 'Bearer token', 'x-project': 'mine' })
  await ask()
  const [call] = upstream.calls
  assert.is(call?.headers.authorization, 'Bearer token')
  assert.is(call?.headers['x-project'], 'mine')
  assert.is(call?.headers['x-acme-key'], undefined)
  await provider.listModels?.(waiting().cancellation).catch(() => {})
  assert.is(upstream.calls.at(-1)?.headers.authorization, 'Bearer token')
})

test('a token that the vendor refuses is renewed and the call made once more; a second refusal is the answer', async () => {
  const upstream = await startUpstream()
  const { stored, ask } = made(upstream)
  const refusal = { status: 401, json: { error: { message: 'token-1 is over, and so is token-2' } } }
  stored.set('acme', 'token-1')
  stored.next = { name: 'acme', key: 'token-2' }
  upstream.script(refusal)
  await ask()
  assert.is(keyOf(upstream), 'token-2')
  assert.equal(stored.asked, ['current token-1', 'renewed token-1'])
  upstream.script(refusal, refusal)
  stored.next = { name: 'acme', key: 'token-3' }
  const error = await failure(ask())
  assert.is(error.status, 401)
  assert.is(upstream.calls.length, 4)
})

test('a refused key that cannot be renewed is refused once', async () => {
  const upstream = await startUpstream()
  const { stored, ask } = made(upstream)
  stored.set('acme', 'sk-wrong')
  upstream.script({ status: 401, json: { error: { message: 'sk-wrong is wrong' } } })
  const error = await failure(ask())
  assert.is(error.message.includes('sk-wrong'), false)
  assert.is(upstream.calls.length, 1)
})

test('a renewal that fails is the failure of the call, and the vendor is not asked', async () => {
  const upstream = await startUpstream()
  const { stored, ask } = made(upstream)
  stored.set('acme', 'token')
  const over = new ProviderError('credential', 'sign in again')
  stored.current = () => Promise.reject(over)
  assert.is(await failure(ask()), over)
  assert.equal(upstream.calls, [])
})

test.run()
