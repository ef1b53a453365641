import type { ChatFormat, JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const DATA = 'iVBORw0KGgo='
const picture = { inlineData: { mimeType: 'image/png', data: DATA } }
const says = (role: string, ...parts: readonly JsonObject[]) => ({ role, parts })
const ask = says('user', { text: 'draw' })
const question = says('user', { text: 'what did you draw?' })

const chatImage = { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` } }
const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }
const itemImage = { type: 'input_image', image_url: `data:image/png;base64,${DATA}` }

/** The same conversation by dialect of its client: the model shows an image beside words. */
const CLIENTS: readonly (readonly [ChatFormat, JsonObject])[] = [
  [generateContent, { contents: [ask, says('model', { text: 'here' }, picture), question] }],
  [
    chatCompletions,
    {
      messages: [
        { role: 'user', content: 'draw' },
        { role: 'assistant', content: [{ type: 'text', text: 'here' }, chatImage] },
        { role: 'user', content: 'what did you draw?' },
      ],
    },
  ],
  [
    messages,
    {
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'draw' },
        { role: 'assistant', content: [{ type: 'text', text: 'here' }, block] },
        { role: 'user', content: 'what did you draw?' },
      ],
    },
  ],
  [
    responses,
    {
      input: [
        { role: 'user', content: 'draw' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'here' }, itemImage] },
        { role: 'user', content: 'what did you draw?' },
      ],
    },
  ],
]

const VENDORS: readonly (readonly [ChatFormat, string, string])[] = [
  [chatCompletions, 'gpt-5.4', 'messages'],
  [responses, 'gpt-5.4', 'input'],
  [messages, 'claude-opus-4-5', 'messages'],
  [generateContent, 'gemini-3-pro', 'contents'],
]

const written = (vendor: ChatFormat, model: string, field: string, client: ChatFormat, body: JsonObject) => {
  const said = vendor.encodePrompt(client.decodePrompt(body), { model, stream: false })
  return JSON.parse(JSON.stringify(said[field])) as JsonObject[]
}

for (const [client, body] of CLIENTS)
  for (const [vendor, model, field] of VENDORS)
    test(`an image of the model goes to ${vendor.name} in the user's next message: ${client.name}`, () => {
      const turns = written(vendor, model, field, client, body)
      assert.is(turns.length, 3)
      assert.match(JSON.stringify(turns[1]), 'here')
      assert.not.match(JSON.stringify(turns[1]), DATA)
      const text = JSON.stringify(turns[2])
      assert.is(text.split(DATA).length, 2)
      assert.ok(text.indexOf(DATA) < text.indexOf('what did you draw?'))
    })

for (const [vendor, model, field] of VENDORS) {
  const write = (...contents: readonly JsonObject[]) => written(vendor, model, field, generateContent, { contents })
  test(`a turn that only shows an image stays a turn before ${vendor.name}`, () => {
    const turns = write(ask, says('model', picture), question)
    assert.equal(
      turns.map(({ role }) => role),
      ['user', field === 'contents' ? 'model' : 'assistant', 'user'],
    )
    assert.match(JSON.stringify(turns[1]), 'attached to the next message')
  })

  test(`it stands behind the results of calls beside it, or by itself at the end: ${vendor.name}`, () => {
    const call = { functionCall: { name: 'look', args: {} } }
    const result = says('user', { functionResponse: { name: 'look', response: { output: 'seen' } } })
    const text = JSON.stringify(write(ask, says('model', picture, call), result))
    assert.ok(text.indexOf('seen') < text.indexOf(DATA))
    assert.is(text.split(DATA).length, 2)
    const last = write(ask, says('model', { text: 'here' }, picture)).at(-1)
    assert.is(last?.role, 'user')
    assert.match(JSON.stringify(last), DATA)
  })
}

test.run()
