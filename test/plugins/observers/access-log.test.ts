import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log } from '../../../core/host.ts'
import { startGateway } from '../../support/gateway.ts'
import { startUpstream } from '../../support/upstream.ts'

const upstream = await startUpstream()
test.after(() => upstream.close())
test.before.each(() => upstream.clear())

/** A log that keeps the lines of requests, and a promise of so many of them. */
class Lines implements Log {
  readonly seen: Record<string, unknown>[] = []
  #wake: () => void = () => {}
  debug(): void {}
  warn(): void {}
  error(): void {}
  info(message: string, fields: Record<string, unknown> = {}): void {
    if (message !== 'request') return
    this.seen.push(fields)
    this.#wake()
  }
  async first(count: number): Promise<Record<string, unknown>[]> {
    while (this.seen.length < count) await new Promise<void>(resolve => (this.#wake = resolve))
    return this.seen
  }
}

const chat = (content: string, model = 'm') => ({ model, messages: [{ role: 'user', content }] })

test('each exchange is one line: who answered, with what status, and how long it took', async () => {
  const log = new Lines()
  const gateway = await startGateway({ upstream, log })
  try {
    upstream.script({ text: 'a bird' }, { status: 400 })
    const miss = await gateway.post('/v1/chat/completions', chat('what is a heron?'))
    await log.first(1)
    await gateway.post('/v1/chat/completions', chat('what is a heron?'))
    await log.first(2)
    await gateway.post('/v1/chat/completions', chat('what is refused?'))
    const lines = await log.first(3)
    assert.equal(
      lines.map(({ id, ms, ...line }) => ({ ...line, ms: typeof ms })),
      [
        {
          surface: 'chat-completions',
          principal: undefined,
          model: 'm',
          layer: 'l3',
          status: 200,
          provider: 'openai',
          ms: 'number',
        },
        {
          surface: 'chat-completions',
          principal: undefined,
          model: 'm',
          layer: 'l1a',
          status: 200,
          provider: undefined,
          ms: 'number',
        },
        {
          surface: 'chat-completions',
          principal: undefined,
          model: 'm',
          layer: 'l3',
          status: 400,
          provider: undefined,
          ms: 'number',
        },
      ],
    )
    assert.is(lines[0]?.id, miss.headers.get('x-service-request-id'))
  } finally {
    await gateway.close()
  }
  assert.is(log.seen.length, 3)
})

test('a refusal at the door is a line, too, and no line holds a prompt, a key or an endless name', async () => {
  const log = new Lines()
  const gateway = await startGateway({ upstream, log, settings: { SERVICE__GATEWAY_API_KEY: 'a-gateway-key' } })
  try {
    upstream.script({ text: 'the answer' })
    await gateway.post('/v1/chat/completions', chat('a private question'))
    const key = { authorization: 'Bearer a-gateway-key' }
    await gateway.post('/v1/chat/completions', chat('a private question', 'm'.repeat(2000)), key)
    const [refused, answered] = await log.first(2)
    assert.is(refused?.status, 401)
    assert.is(refused?.layer, 'l0')
    assert.equal([refused?.principal, answered?.principal], [undefined, 'default'])
    assert.is(String(answered?.model).length, 200)
    assert.not.match(JSON.stringify(log.seen), /private question|gateway-key|the answer/)
  } finally {
    await gateway.close()
  }
})

test('a line has the status that the client got, also where the surface refuses or has nothing', async () => {
  const log = new Lines()
  const gateway = await startGateway({ upstream, log, settings: { SERVICE__CACHE_MODE: 'exact' } })
  const json = { 'content-type': 'application/json' }
  const calls: readonly (readonly [path: string, body?: string, headers?: Record<string, string>])[] = [
    ['/api/admin/cache/why', '{}', json],
    ['/api/admin/cache/why', '{', json],
    ['/api/admin/cache/why', '{}', { 'content-type': 'text/plain' }],
    ['/api/v1/cache/lookup', '{"prompt":"what is unknown?"}', json],
    ['/api/v1/cache/store', '{"prompt":"what is known?","response":"it"}', json],
    ['/api/v1/cache/lookup', '{"prompt":"what is known?"}', json],
    ['/v1/responses/resp_1'],
    ['/v1/models'],
    ['/api/admin/requests/unknown'],
  ]
  const told: number[] = []
  try {
    for (const [path, body, headers] of calls) {
      const method = body === undefined ? 'GET' : 'POST'
      told.push(
        (await fetch(`${gateway.url}${path}`, { method, ...(body && { body }), headers: headers ?? {} })).status,
      )
      await log.first(told.length)
    }
  } finally {
    await gateway.close()
  }
  assert.equal(told, [400, 400, 415, 204, 200, 200, 404, 200, 404])
  assert.equal(
    log.seen.map(({ status }) => status),
    told,
  )
})

test('who watches the gateway fills no log: such calls are of level debug, their refusals of level info', async () => {
  const log = new Lines()
  const gateway = await startGateway({ upstream, log, settings: { SERVICE__GATEWAY_API_KEY: 'a-gateway-key' } })
  try {
    const path = '/debug/stats/prompts'
    assert.is((await gateway.get(path, { authorization: 'Bearer a-gateway-key' })).status, 200)
    assert.is((await gateway.get(path)).status, 401)
    await log.first(1)
  } finally {
    await gateway.close()
  }
  assert.equal(
    log.seen.map(({ surface, status }) => [surface, status]),
    [['stats', 401]],
  )
})

test.run()
