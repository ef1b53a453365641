import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
test.before.each(() => upstream.clear())

const PATH = '/v1/chat/completions'
const ADMIN = { 'x-api-key': 'admin-key' }
const TRACE = { 'x-service-trace': '1' }
const chat = (content: string, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more })
const settings = {
  SERVICE__GATEWAY_API_KEY: 'admin-key',
  SERVICE__GATEWAY_API_KEYS: JSON.stringify([{ key: 'plain-key', label: 'plain' }]),
}

test('the operator who asks gets the way of a request with its reply, and nobody else does', async () => {
  const gateway = await startGateway({ upstream, settings })
  upstream.script({ text: 'a bird' }, { text: 'of another key' }, { text: 'a stream' }, { status: 400 })
  const trailOf = async (body: object, headers: Record<string, string>): Promise<string | null> =>
    (await gateway.post(PATH, body, headers)).headers.get('x-service-trail')
  const miss = await trailOf(chat('a private question'), { ...ADMIN, ...TRACE })
  assert.match(miss ?? '', /^receive\.auth;dur=\d+\.\d\d;desc="passed", .*, exact-cache;dur=\d+\.\d\d;desc="miss", /)
  assert.match(miss ?? '', /, cloud;dur=\d+\.\d\d;desc="answered"/)
  assert.match((await trailOf(chat('a private question'), { ...ADMIN, ...TRACE })) ?? '', /exact-cache;[^,]*desc="hit"/)
  assert.is(await trailOf(chat('a private question'), ADMIN), null)
  assert.is(await trailOf(chat('a private question'), { 'x-api-key': 'plain-key', ...TRACE }), null)
  const streamed = await gateway.send(PATH, JSON.stringify(chat('stream it', { stream: true })), { ...ADMIN, ...TRACE })
  assert.match(streamed.headers.get('x-service-trail') ?? '', /cloud;[^,]*desc="answered"/)
  assert.match((await trailOf(chat('it fails'), { ...ADMIN, ...TRACE })) ?? '', /cloud;[^,]*desc="failed"/)
})

test.run()
