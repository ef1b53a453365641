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
  assert.equal(cut({ messages: [user, { role: 'assistant', content: [call] }, results], thinking: enabled }), [
    ['thinking'],
  ])
  const over = { messages: [...loop.messages, { role: 'assistant', content: 'done' }, user] }
  assert.equal(cut({ ...over, thinking: enabled }), [reasoning])
})

test('a tool loop that began with reasoning goes on thinking, though a step between two calls had none', () => {
  const step = { role: 'assistant', content: [call] }
  const begun = [user, { role: 'assistant', content: [thinking('sig'), call] }, results]
  const thinks = { type: 'enabled', budget_tokens: 2000 }
  assert.is(messages.foreign?.({ messages: [...begun, step, results], thinking: thinks }), undefined)
  const fallback = { role: 'assistant', content: [thinking(''), call] }
  const cut = messages.foreign?.({ messages: [...begun, fallback, results], thinking: thinks })?.parts
  assert.equal(cut, [['messages', 3, 'content', 0]])
  const later = [user, step, results, { role: 'assistant', content: [thinking('sig'), call] }, results]
  assert.equal(messages.foreign?.({ messages: later, thinking: thinks })?.parts, [['thinking']])
})

test('where thinking goes, so do the edits of the context that need it', () => {
  const loop = [user, { role: 'assistant', content: [call] }, results]
  const cut = (...types: string[]) =>
    messages.foreign?.({
      messages: loop,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      context_management: { edits: types.map(type => ({ type })) },
    })?.parts
  assert.equal(cut('clear_thinking_20251015'), [['thinking'], ['context_management']])
  assert.equal(cut('clear_tool_uses_20250919', 'clear_thinking_20251015'), [
    ['thinking'],
    ['context_management', 'edits', 1],
  ])
  assert.equal(cut('clear_tool_uses_20250919'), [['thinking']])
})

test.run()
