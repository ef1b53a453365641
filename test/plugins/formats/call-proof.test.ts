import { type Chat, type ChatFormat, type Completion, replay } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { promptIn } from './messages-stream.ts'

/** What a Gemini vendor answered: the first of two parallel calls is signed. */
const completion: Completion = {
  id: 'up',
  model: 'gemini',
  created: 0,
  blocks: [
    { type: 'tool_call', id: 'a', name: 'f', args: '{"x":1}', signature: 'c2lnbmVk', origin: 'generate-content' },
    { type: 'tool_call', id: 'b', name: 'f', args: '{"x":2}' },
  ],
  stop: { reason: 'tool_use' },
}
const user = { role: 'user', content: 'go' }
const reply = { id: 'r', created: 0, layer: 'l3' }

const ways: readonly [ChatFormat, (answer: Record<string, unknown>) => readonly unknown[], object[]][] = [
  [
    responses,
    ({ output }) => (Array.isArray(output) ? output : []),
    ['a', 'b'].map(id => ({ type: 'function_call_output', call_id: id, output: 'ok' })),
  ],
  [
    messages,
    ({ content }) => [{ role: 'assistant', content }],
    [{ role: 'user', content: ['a', 'b'].map(id => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })) }],
  ],
  [
    chatCompletions,
    ({ choices }) => (choices as readonly { readonly message: object }[]).map(({ message }) => message),
    ['a', 'b'].map(id => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
  ],
]

const signedIn = ({ turns }: Chat) =>
  turns.flatMap(({ blocks }) =>
    blocks.flatMap(block => (block.type === 'tool_call' ? [[block.id, block.signature, block.origin]] : [])),
  )

for (const [format, turnOf, results] of ways) {
  test(`a signed call comes back signed through a client of ${format.name}`, () => {
    const turn = turnOf(format.encodeAnswer(completion, reply))
    const said = [user, ...turn, ...results]
    const body = { model: 'm', max_tokens: 9, [format === responses ? 'input' : 'messages']: said }
    const chat = format.decodePrompt(body)
    assert.equal(signedIn(chat), [
      ['a', 'c2lnbmVk', 'generate-content'],
      ['b', undefined, undefined],
    ])
    const sent = JSON.stringify(generateContent.encodePrompt(chat, { model: 'gemini-3-pro', stream: false }))
    assert.match(sent, '"thoughtSignature":"c2lnbmVk"')
    for (const other of [messages, chatCompletions, responses]) {
      const elsewhere = JSON.stringify(other.encodePrompt(chat, { model: 'claude-opus-4-5', stream: false }))
      assert.not.match(elsewhere, 'c2lnbmVk')
    }
    assert.ok(format.foreign?.(body), 'its own vendor gets nothing of it')
  })
}

test('the stream to a messages client bears the signature before the call', () => {
  const prompt = promptIn(messages, { model: 'm', max_tokens: 9, stream: true, messages: [user] })
  const encoder = messages.streamEncoder(prompt, reply)
  const text = [...replay(completion)].map(event => encoder.push(event)).join('')
  const starts = [...text.matchAll(/"content_block":\{"type":"(\w+)"/g)].map(([, type]) => type)
  assert.equal(starts, ['redacted_thinking', 'tool_use', 'tool_use'])
})

test('the stream to a responses client bears it in a reasoning item before the call', () => {
  const prompt = promptIn(responses, { model: 'm', stream: true, input: [user] })
  const encoder = responses.streamEncoder(prompt, reply)
  const text = [...replay(completion)].map(event => encoder.push(event)).join('')
  const last = JSON.parse(text.trim().split('\ndata: ').at(-1) ?? '').response
  const items = [...text.matchAll(/^data: (.*"response\.output_item\.done".*)$/gm)].map(
    ([, data = '']) => JSON.parse(data).item,
  )
  assert.equal(
    items.map(({ type }) => type),
    ['reasoning', 'function_call', 'function_call'],
  )
  assert.equal(last.output, items)
  const chat = responses.decodePrompt({ model: 'm', input: [user, ...items] })
  assert.equal(signedIn(chat)[0], ['a', 'c2lnbmVk', 'generate-content'])
})

test('the stream to a chat client bears it in the chunk that begins the call', () => {
  const prompt = promptIn(chatCompletions, { model: 'm', stream: true, messages: [user] })
  const encoder = chatCompletions.streamEncoder(prompt, reply)
  const text = [...replay(completion)].map(event => encoder.push(event)).join('')
  assert.is([...text.matchAll(/"extra_content":\{"google":\{"thought_signature":"/g)].length, 1)
})

test.run()
