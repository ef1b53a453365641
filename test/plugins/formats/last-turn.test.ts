import type { Dialect, JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { lastTurn as ofContents } from '../../../plugins/formats/generate-content/last-turn.ts'
import { lastTurn as ofResponses } from '../../../plugins/formats/responses/last-turn.ts'
import { plainFormat } from '../../contracts/host.ts'

const message = (role: string, content: unknown) => ({ role, content })
const text = (said: string, more: object = {}) => ({ type: 'text', text: said, ...more })
const of =
  ({ lastTurn }: Dialect) =>
  (body: JsonObject) =>
    lastTurn?.(body)

test('each dialect takes the last text out of its bodies', () => {
  for (const [lastTurn, body, rest] of [
    [of(native), { prompt: 'hi', model: 'm' }, { prompt: '', model: 'm' }],
    [
      of(chatCompletions),
      { messages: [message('system', 's'), message('user', 'hi')] },
      { messages: [message('system', 's'), message('user', '')] },
    ],
    [of(messages), { messages: [message('user', [text('hi')])] }, { messages: [message('user', '')] }],
    [
      of(messages),
      { messages: [message('user', [text('hi', { cache_control: {} })])] },
      { messages: [message('user', '')] },
    ],
    [
      ofContents,
      { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      { contents: [{ role: 'user', parts: '' }] },
    ],
    [ofContents, { contents: [{ parts: [{ text: 'hi' }] }] }, { contents: [{ parts: '' }] }],
    [ofResponses, { input: 'hi', instructions: 'i' }, { input: '', instructions: 'i' }],
    [ofResponses, { input: [message('user', [{ type: 'input_text', text: 'hi' }])] }, { input: [message('user', '')] }],
  ] as const)
    assert.equal(lastTurn(body), { text: 'hi', rest })
})

test('leaves alone what is more than one plain text of a user', () => {
  for (const body of [
    {},
    { messages: [] },
    { messages: 'hi' },
    { prompt: 'hi' },
    { messages: [message('user', 'a'), message('assistant', 'b')] },
    { messages: [message('user', [text('a'), text('b')])] },
    { messages: [message('user', [{ type: 'image_url', image_url: {} }])] },
    { messages: [message('user', [text('a', { citations: {} })])] },
    { messages: [message('user', [text('a', { type: 'input_text' })])] },
    { messages: [message('tool', 'a')] },
  ])
    for (const dialect of [chatCompletions, messages]) assert.is(of(dialect)(body), undefined)
  assert.is(of(native)({ prompt: ['a'] }), undefined)
  assert.is(ofContents({ contents: [{ role: 'model', parts: [{ text: 'a' }] }] }), undefined)
  assert.is(ofResponses({ input: [{ type: 'function_call_output', content: 'a' }] }), undefined)
  assert.is(ofResponses({ input: [] }), undefined)
})

test('a dialect may have no last turn', () => {
  assert.is(of(plainFormat)({ prompt: 'hi' }), undefined)
})

test.run()
