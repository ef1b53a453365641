import { type ChatFormat, isGatewayError, type JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const DATA = 'iVBORw0KGgo='
const URL = `data:image/png;base64,${DATA}`
const RULE = 'Match this style.'

/** A message of the system that shows an image, at the head of a conversation and in the midst of it, by dialect. */
const chatRule = {
  role: 'developer',
  content: [
    { type: 'text', text: RULE },
    { type: 'image_url', image_url: { url: URL } },
  ],
}
const item = (role: string, text: string) => ({ role, content: text })
const ruleItem = {
  role: 'system',
  content: [
    { type: 'input_text', text: RULE },
    { type: 'input_image', image_url: URL },
  ],
}
const ruleMessage = {
  role: 'system',
  content: [
    { type: 'text', text: RULE },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } },
  ],
}
const parts = [{ text: RULE }, { inlineData: { mimeType: 'image/png', data: DATA } }]
const before = [item('user', 'hi'), item('assistant', 'hello')]

const CLIENTS: readonly (readonly [string, ChatFormat, JsonObject])[] = [
  ['chat-completions at the head', chatCompletions, { messages: [chatRule, item('user', 'draw')] }],
  ['chat-completions in the midst', chatCompletions, { messages: [...before, chatRule, item('user', 'draw')] }],
  ['responses at the head', responses, { input: [ruleItem, item('user', 'draw')] }],
  ['responses in the midst', responses, { input: [...before, ruleItem, item('user', 'draw')] }],
  ['messages in the midst', messages, { max_tokens: 9, messages: [...before, ruleMessage, item('user', 'draw')] }],
  [
    'generate-content at the head',
    generateContent,
    { systemInstruction: { parts }, contents: [{ role: 'user', parts: [{ text: 'draw' }] }] },
  ],
  [
    'generate-content in the midst',
    generateContent,
    {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ text: 'hello' }] },
        { role: 'system', parts },
        { role: 'user', parts: [{ text: 'draw' }] },
      ],
    },
  ],
]

/** Messages of a vendor's body, each as the role and what it shows. */
const shownBy: Readonly<Record<string, (body: JsonObject) => unknown>> = {
  'chat-completions': ({ messages }) => messages,
  responses: ({ input }) => input,
  messages: ({ messages }) => messages,
  'generate-content': ({ contents }) => contents,
}

for (const [where, client, body] of CLIENTS)
  for (const [vendor, model] of [
    [chatCompletions, 'gpt-5.4'],
    [responses, 'gpt-5.4'],
    [messages, 'claude-opus-4-5'],
    [generateContent, 'gemini-3-pro'],
  ] as const)
    test(`an image of the system goes to ${vendor.name} as the user's: ${where}`, () => {
      const written = vendor.encodePrompt(client.decodePrompt(body), { model, stream: false })
      const turns = JSON.parse(JSON.stringify(shownBy[vendor.name]?.(written))) as JsonObject[]
      const holders = turns.filter(turn => JSON.stringify(turn).includes(DATA))
      assert.equal(
        holders.map(({ role }) => role),
        ['user'],
      )
      const text = JSON.stringify(written)
      assert.is(text.split(DATA).length, 2)
      assert.is(text.split(RULE).length, 2)
      // It stands where it stood: behind what was said before, and before what is asked.
      assert.ok(text.indexOf(DATA) < text.indexOf('draw'))
      if (where.endsWith('midst')) assert.ok(text.indexOf('hello') < text.indexOf(DATA))
    })

const refused = (run: () => unknown): string | undefined => {
  try {
    run()
  } catch (error) {
    if (isGatewayError(error)) return error.param
    throw error
  }
  return undefined
}

test('what cannot be carried is refused by its field', () => {
  const system = ruleMessage.content
  assert.is(
    refused(() => messages.decodePrompt({ max_tokens: 9, system, messages: [item('user', 'hi')] })),
    'system[1].text',
  )
  assert.is(
    refused(() => responses.decodePrompt({ instructions: [ruleItem], input: 'hi' })),
    'instructions',
  )
  const code = { executableCode: { language: 'PYTHON', code: '1' } }
  const contents = [{ parts: [{ text: 'hi' }] }]
  const { vendorOnly } = generateContent.decodePrompt({ systemInstruction: { parts: [code] }, contents })
  assert.equal(vendorOnly, ['systemInstruction.parts'])
})

test.run()
