import type { ChatFormat, JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

interface Message {
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
}

/** The ids of the calls of a history as a chat vendor gets it, and those of their results. */
function idsIn(client: ChatFormat, body: JsonObject) {
  const written = chatCompletions.encodePrompt(client.decodePrompt(body), { model: 'gpt-4.1', stream: false })
  const said = written.messages as readonly Message[]
  return {
    calls: said.flatMap(({ tool_calls: calls }) => calls?.map(({ id }) => id) ?? []),
    results: said.flatMap(({ tool_call_id: id }) => id ?? []),
  }
}

const LONGEST = 40
const name = 'mcp__github_enterprise__create_pull_request_review'

test('ids that a client leaves out are short enough for chat vendors', () => {
  const call = { role: 'model', parts: [{ functionCall: { name, args: {} } }] }
  const result = { role: 'user', parts: [{ functionResponse: { name, response: { output: 'done' } } }] }
  const ask = { role: 'user', parts: [{ text: 'review' }] }
  const once = idsIn(generateContent, { contents: [ask, call, result] })
  const twice = idsIn(generateContent, { contents: [ask, call, result, call, result] })
  for (const { calls, results } of [once, twice]) {
    assert.equal(results, calls)
    assert.is(new Set(calls).size, calls.length)
    assert.ok(calls.every(id => id.length <= LONGEST))
  }
  assert.is(twice.calls[0], once.calls[0], 'the same on the next turn')
})

test('long ids of a client are shortened, each to one of its own, and others stay', () => {
  const given = [`toolu_${'a'.repeat(60)}1`, `toolu_${'a'.repeat(60)}2`, 'toolu_1']
  const { calls, results } = idsIn(messages, {
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: given.map(id => ({ type: 'tool_use', id, name: 'f', input: {} })) },
      { role: 'user', content: given.map(id => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })) },
    ],
  })
  assert.equal(results, calls)
  assert.is(new Set(calls).size, 3)
  assert.is(calls[2], 'toolu_1')
  assert.ok(calls.every(id => id.length <= LONGEST))
})

test.run()
