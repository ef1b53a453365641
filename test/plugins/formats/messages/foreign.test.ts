import { withoutParts } from 'deflector'
import { messages } from 'deflector/formats/messages'
import { wrap } from 'deflector/formats/signature'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const user = { role: 'user', content: 'hi' }
const thinking = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })
const call = { type: 'tool_use', id: 'c', name: 'f', input: {} }
const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] }
const foreignIn = (...turns: readonly object[]) => messages.foreign?.({ messages: [user, ...turns] })

test('a body whose reasoning is signed by its own vendor stays as it is', () => {
  const said = { role: 'assistant', content: [thinking('sig'), { type: 'redacted_thinking', data: 'x' }, call] }
  assert.is(foreignIn(said, results), undefined)
  assert.is(foreignIn({ role: 'assistant', content: 'text' }), undefined)
  assert.is(messages.foreign?.({ messages: 'odd' }), undefined)
})

test('reasoning with an empty or foreign proof goes, and nothing else', () => {
  const text = { type: 'text', text: 'a' }
  const hidden = { type: 'redacted_thinking', data: wrap('responses', 'x') }
  const content = [thinking(''), thinking('sig'), thinking(wrap('generate-content', 's')), hidden, text]
  const found = foreignIn({ role: 'assistant', content })
  assert.equal(
    found?.parts,
    [0, 2, 3].map(place => ['messages', 1, 'content', place]),
  )
  const body = { messages: [user, { role: 'assistant', content }] }
  const left = JSON.parse(Buffer.from(withoutParts(Buffer.from(JSON.stringify(body)), found?.parts ?? [])).toString())
  assert.equal(left.messages[1].content, [thinking('sig'), text])
})

test('citations of pages that another vendor found go, the words that cite them stay', () => {
  const page = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'a' }
  const own = { type: 'text', text: 'own', citations: [{ ...page, encrypted_index: 'x' }] }
  const other = { type: 'text', text: 'other', citations: [{ ...page, encrypted_index: '' }] }
  const body = { messages: [user, { role: 'assistant', content: [own, other, thinking('')] }] }
  const parts = messages.foreign?.(body)?.parts ?? []
  const left = JSON.parse(Buffer.from(withoutParts(Buffer.from(JSON.stringify(body)), parts)).toString())
  assert.equal(left.messages[1].content, [own, { type: 'text', text: 'other' }])
})

test('a message that held nothing else goes whole', () => {
  assert.equal(foreignIn({ role: 'assistant', content: [thinking('')] })?.parts, [['messages', 1]])
})

test('an open tool loop that lost its reasoning goes on without a budget for it', () => {
  const loop = { messages: [user, { role: 'assistant', content: [thinking(''), call] }, results] }
  const enabled = { type: 'enabled', budget_tokens: 2000 }
  const reasoning = ['messages', 1, 'content', 0]
  const cut = (body: object) => messages.foreign?.({ ...body })?.parts
  assert.equal(cut({ ...loop, thinking: enabled }), [reasoning, ['thinking']])
  assert.equal(cut({ ...loop, thinking: { type: 'adaptive' } }), [reasoning])
  const over = { messages: [...loop.messages, { role: 'assistant', content: 'done' }, user] }
  assert.equal(cut({ ...over, thinking: enabled }), [reasoning])
})

test.run()
