import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.before.each(() => upstream.clear())

const PATH = '/v1/chat/completions'
const POOL = JSON.stringify([{ key: 'key-one-0123456789' }, { key: 'key-two-0123456789' }])
/** The vendor limits the second key, and asks for four minutes. */
const limits = () =>
  upstream.script(({ headers }) =>
    headers.authorization?.includes('two') ? { status: 429, headers: { 'retry-after': '240' } } : { text: 'a bird' },
  )
const limited = (): number => upstream.calls.filter(({ headers }) => headers.authorization?.includes('two')).length

const keys = { SERVICE__PROVIDER_KEYS: POOL }

for (const stream of [false, true])
  test(`a limited key is asked once for each model, and no more after a reload${stream ? ', streamed' : ''}`, async () => {
    const gateway = await startGateway({ upstream, settings: keys })
    limits()
    let asked = 0
    const ask = async (model: string): Promise<void> => {
      const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: `What is ${asked++}?` }] })
      const reply = await fetch(`${gateway.url}${PATH}`, { method: 'POST', body })
      assert.is(reply.status, 200)
      await reply.text()
    }
    for (let turn = 0; turn < 4; turn++) await ask('small')
    assert.is(limited(), 1)
    await gateway.post('/api/admin/config', { cache_ttl_secs: 60 })
    for (let turn = 0; turn < 4; turn++) await ask('small')
    assert.is(limited(), 1)
    // A vendor limits each model by itself.
    for (let turn = 0; turn < 4; turn++) await ask('large')
    assert.is(limited(), 2)
  })

test('requests that are under way when a key is limited may each be limited, and later ones pass it by', async () => {
  const gateway = await startGateway({ upstream, settings: keys })
  limits()
  const ask = (content: string) => gateway.post(PATH, { model: 'm', messages: [{ role: 'user', content }] })
  const replies = await Promise.all(['one', 'two', 'three', 'four', 'five', 'six'].map(ask))
  assert.ok(replies.every(({ status }) => status === 200))
  const together = limited()
  assert.ok(together <= 3)
  for (const content of ['seven', 'eight', 'nine', 'ten']) await ask(content)
  assert.is(limited(), together)
})

test.run()
