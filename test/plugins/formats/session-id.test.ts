import { isGatewayError, NO_CALL } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { sessionOf } from 'deflector/formats/session-id'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const PLACES: readonly ((id: unknown) => Record<string, unknown>)[] = [
  id => ({ session_id: id }),
  id => ({ conversation_id: id }),
  id => ({ metadata: { thread_id: id } }),
]

test('a session id is a string of 1 to 512 bytes or an integer, and the two are kept apart', () => {
  for (const place of PLACES)
    for (const id of ['s', '1', 1, 0, -7, 'x'.repeat(512), 'é'.repeat(256)]) assert.is(sessionOf(place(id)), id)
})

test('null is an absent session id', () => {
  for (const place of PLACES) assert.is(sessionOf(place(null)), undefined)
  assert.is(sessionOf({ session_id: null, metadata: { session_id: 's' } }), 's')
})

test('anything else is refused, and the refusal names the field', () => {
  for (const place of PLACES) {
    for (const id of ['', 'x'.repeat(513), 'é'.repeat(257), 1.5, 2 ** 53, true, [1], { id: 1 }]) {
      assert.throws(
        () => sessionOf(place(id)),
        (error: unknown) => isGatewayError(error) && error.code === 'bad_request' && error.param !== undefined,
        JSON.stringify(id).slice(0, 20),
      )
    }
  }
  assert.throws(() => sessionOf({ metadata: { session_id: [1] } }), /^metadata\.session_id: must be a string/)
})

test('one that does not count is refused too', () => {
  assert.throws(() => sessionOf({ session_id: 's', thread_id: {} }), /thread_id/)
})

test('every dialect refuses it', () => {
  const more = { metadata: { session_id: [1] } }
  const asked = [{ role: 'user', content: 'hi' }]
  assert.throws(() => native.readHead({ prompt: 'hi', ...more }, NO_CALL), /metadata\.session_id/)
  assert.throws(() => messages.readHead({ messages: asked, ...more }, NO_CALL), /metadata\.session_id/)
  assert.throws(() => chatCompletions.readHead({ messages: asked, ...more }, NO_CALL), /metadata\.session_id/)
})

test.run()
