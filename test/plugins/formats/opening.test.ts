import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const said = (role: string, content: unknown) => ({ role, content })
const block = (text: string) => ({ type: 'text', text })
const image = { type: 'image', source: { type: 'url', url: 'https://images.example/a.png' } }

test('what the user said first is found in each format, and is the same in each later turn', () => {
  const turns = [said('assistant', 'welcome'), said('user', 'hi'), said('assistant', 'yes?'), said('user', 'go on')]
  for (const list of [turns.slice(0, 2), turns]) {
    assert.is(messages.opening?.({ messages: list }), 'hi')
    assert.is(chatCompletions.opening?.({ messages: [said('system', 'be brief'), ...list] }), 'hi')
    assert.is(responses.opening?.({ input: list }), 'hi')
    const contents = list.map(({ role, content }) => ({ role, parts: [{ text: content }] }))
    assert.is(generateContent.opening?.({ contents }), 'hi')
  }
  assert.is(messages.opening?.({ messages: [said('user', [block('a'), image, block('b')])] }), 'a\nb')
  assert.is(generateContent.opening?.({ contents: [{ parts: [{ text: 'no role' }] }] }), 'no role')
  assert.is(responses.opening?.({ input: 'a text' }), 'a text')
  assert.is(native.opening?.({ prompt: 'hi' }), 'hi')
})

test('a body that says nothing has no opening', () => {
  for (const { opening } of [messages, chatCompletions, responses, generateContent, native])
    assert.is(opening?.({}), '')
  for (const odd of [null, 7, [null], [{}], [said('user', null)], [said('user', [null, { text: 1 }])]])
    assert.is(messages.opening?.({ messages: odd }), '')
})

test.run()
