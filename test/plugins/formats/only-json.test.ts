import type { JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

/** Clients of Gemini that ask for JSON of no certain schema, before vendors that want the word said. */

const JSON_TYPE = { generationConfig: { responseMimeType: 'application/json' } }
const said = (text: string, system?: string): JsonObject => ({
  ...JSON_TYPE,
  contents: [{ role: 'user', parts: [{ text }] }],
  ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
})
const target = { model: 'gpt-x', stream: false }
const chatOf = (body: JsonObject) => chatCompletions.encodePrompt(generateContent.decodePrompt(body), target)
const responseOf = (body: JsonObject) => responses.encodePrompt(generateContent.decodePrompt(body), target)

const user = (content: string) => ({ role: 'user', content })

test('a chat vendor is told so where no message says it', () => {
  const { messages, response_format } = chatOf(said('List three birds.', 'Be brief.'))
  assert.equal(response_format, { type: 'json_object' })
  const [system, ...others] = messages as { role: string; content: string }[]
  assert.is(system?.role, 'system')
  assert.match(system?.content ?? '', /^Be brief\.\n\n.*JSON object/)
  assert.equal(others, [user('List three birds.')])
  assert.equal(chatOf(said('List three birds as jSoN.')).messages, [user('List three birds as jSoN.')])
  assert.equal(chatOf(said('List three birds.', 'Say JSON.')).messages, [
    { role: 'system', content: 'Say JSON.' },
    user('List three birds.'),
  ])
  const { generationConfig: _, ...plain } = said('List three birds.')
  assert.equal(chatOf(plain).messages, [user('List three birds.')])
})

test('a responses vendor is told so in the input, as it does not look for the word in its instructions', () => {
  for (const system of ['Be brief.', 'Say JSON.']) {
    const { instructions, input, text } = responseOf(said('List three birds.', system))
    assert.is(instructions, system)
    assert.equal(text, { format: { type: 'json_object' } })
    const [head, ...others] = input as { role: string; content: { text: string }[] }[]
    assert.is(head?.role, 'developer')
    assert.match(head?.content[0]?.text ?? '', 'JSON object')
    assert.is(others.length, 1)
  }
  assert.is((responseOf(said('List three birds as JSON.')).input as unknown[]).length, 1)
})

test.run()
