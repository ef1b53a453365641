import { isGatewayError, type Prompt } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import session from '../../../plugins/layers/session.ts'
import { type ExchangeFacts, plainPrompt, TestExchange, testHost } from '../../contracts/host.ts'
import { checkLayer } from '../../contracts/layer.ts'

checkLayer(session, { passesOn: () => new TestExchange() })

async function scopeOf(facts: ExchangeFacts, options: object = {}): Promise<TestExchange> {
  const host = testHost('layer')
  host.apply(session, options)
  const exchange = new TestExchange(facts)
  await host.call.receive(exchange)
  return exchange
}
const asked = (session_id?: string): Prompt => plainPrompt('hi', session_id === undefined ? {} : { session_id })

test('without any id there is one global scope', async () => {
  assert.is((await scopeOf({})).session, undefined)
})

test('each of the four headers names a scope, in this order', async () => {
  const order = ['x-service-session-id', 'x-thread-id', 'x-session-id', 'x-conversation-id']
  for (let first = 0; first < order.length; first++) {
    const headers = Object.fromEntries(order.slice(first).map(name => [name, `by ${name}`]))
    assert.is((await scopeOf({ headers })).session, `by ${order[first]}`)
  }
})

test('a header beats the body, and then the body is not read', async () => {
  const exchange = await scopeOf({ headers: { 'x-session-id': 'header' }, prompt: asked('body') })
  assert.is(exchange.session, 'header')
  assert.is(exchange.reads, 0)
})

test('the body names it when no header does', async () => {
  assert.is((await scopeOf({ prompt: asked('body') })).session, 'body')
})

test('a call without a prompt has no scope', async () => {
  assert.is((await scopeOf({ prompt: null })).session, undefined)
})

test('takes ids of 1 to 512 bytes and refuses others by the name of their header', async () => {
  for (const id of ['a', 'a'.repeat(512)]) {
    assert.is((await scopeOf({ headers: { 'x-thread-id': id } })).session, id)
  }
  for (const id of ['', 'a'.repeat(513), 'é'.repeat(300)]) {
    try {
      await scopeOf({ headers: { 'x-thread-id': id } })
      assert.unreachable()
    } catch (error) {
      assert.ok(isGatewayError(error))
      assert.is(error.code, 'bad_request')
      assert.match(error.message, 'x-thread-id')
    }
  }
})

test('reads only the headers it is told to, in any case', async () => {
  const options = { headers: ['X-Chat'] }
  assert.is((await scopeOf({ headers: { 'x-chat': 'a' } }, options)).session, 'a')
  assert.is((await scopeOf({ headers: { 'x-session-id': 'a' } }, options)).session, undefined)
  assert.is((await scopeOf({ headers: { 'x-session-id': 'a' } }, { headers: [] })).session, undefined)
})

test.run()
