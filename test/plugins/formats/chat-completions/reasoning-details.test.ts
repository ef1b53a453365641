import { type AnswerBlock, type Completion, type JsonObject, replay } from 'deflector'
import { chatCompletions as format } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { promptIn, reply } from '../messages-stream.ts'

/** Proofs of reasoning and of words, on their way through a chat-completions client that keeps what it was given. */

const answered = (blocks: readonly AnswerBlock[]): Completion => ({
  id: 'up',
  model: 'm',
  created: 0,
  blocks,
  stop: { reason: 'stop' },
})
const user = { role: 'user', content: 'Hi' }
const prompt = promptIn(format, { model: 'm', messages: [user], stream: true })

const whole = async (completion: Completion): Promise<JsonObject> => {
  const { choices } = format.encodeAnswer(completion, reply) as { choices: readonly { message: JsonObject }[] }
  return choices[0]?.message ?? {}
}

const chunksOf = (completion: Completion): JsonObject[] => {
  const encoder = format.streamEncoder(prompt, reply)
  const wire = [...replay(completion)].map(event => encoder.push(event)).join('')
  return wire
    .split('\n\n')
    .filter(frame => frame.startsWith('data: {'))
    .map(frame => JSON.parse(frame.slice(6)))
}

/** As the official SDK's own helper puts a stream together. */
const streamed = async (completion: Completion): Promise<JsonObject> => {
  const lines = chunksOf(completion).map(chunk => new TextEncoder().encode(`${JSON.stringify(chunk)}\n`))
  const stream = ChatCompletionStream.fromReadableStream(ReadableStream.from(lines))
  const { choices } = await stream.finalChatCompletion()
  return { ...choices[0]?.message }
}

const partsFor = (message: JsonObject): unknown => {
  const chat = format.decodePrompt({ model: 'm', messages: [user, message, user] })
  const { contents } = generateContent.encodePrompt(chat, { model: 'gemini-3-pro', stream: false })
  return (contents as readonly JsonObject[])[1]?.parts
}

const origin = 'generate-content'
const signedWords: readonly AnswerBlock[] = [
  { type: 'text', text: 'hi' },
  { type: 'reasoning', text: '', signature: 'SIGT', origin },
]

for (const [how, message] of Object.entries({ whole, streamed })) {
  test(`the signature of words stays behind its words (${how})`, async () => {
    const parts = partsFor(await message(answered(signedWords)))
    assert.equal(parts, [{ text: 'hi' }, { text: '', thoughtSignature: 'SIGT' }])
  })

  test(`reasoning without a signature does not take the one of the words (${how})`, async () => {
    const parts = partsFor(await message(answered([{ type: 'reasoning', text: 'hm' }, ...signedWords])))
    assert.equal(parts, [{ text: 'hi' }, { text: '', thoughtSignature: 'SIGT' }])
  })

  test(`signed reasoning stays before the words (${how})`, async () => {
    const signed = answered([
      { type: 'reasoning', text: 'hm', signature: 'SIGR', origin },
      { type: 'text', text: 'hi' },
    ])
    assert.equal(partsFor(await message(signed)), [
      { text: 'hm', thought: true, thoughtSignature: 'SIGR' },
      { text: 'hi' },
    ])
  })

  test(`reasoning and hidden reasoning both come back (${how})`, async () => {
    const given: readonly AnswerBlock[] = [
      { type: 'reasoning', text: 'hm', signature: 'c2ln', origin: 'messages' },
      { type: 'reasoning', text: '', redacted: 'aGlk', origin: 'messages' },
      { type: 'text', text: 'hi' },
    ]
    const sent = await message(answered(given))
    assert.equal(
      (sent.reasoning_details as readonly JsonObject[]).map(({ type, index }) => [type, index]),
      [
        ['reasoning.text', 0],
        ['reasoning.encrypted', 1],
      ],
    )
    const chat = format.decodePrompt({ model: 'm', messages: [user, sent, user] })
    assert.equal(chat.turns[1]?.blocks, given)
    const body = messages.encodePrompt(chat, { model: 'claude-opus-4-5', stream: false })
    assert.match(JSON.stringify(body), '{"type":"redacted_thinking","data":"aGlk"}')
  })
}

test('each detail of a stream has an index of its own, in whatever chunk it comes', () => {
  const chunks = chunksOf(
    answered([
      { type: 'reasoning', text: 'hm', signature: 'c2ln', origin: 'messages' },
      { type: 'text', text: 'hi' },
      { type: 'reasoning', text: 'so', signature: 'bmV4dA==', origin: 'messages' },
    ]),
  )
  const deltas = chunks.flatMap(({ choices }) =>
    (choices as readonly { delta: JsonObject }[]).map(({ delta }) => delta),
  )
  const details = deltas.flatMap(delta => (delta.reasoning_details ?? []) as readonly JsonObject[])
  assert.equal(
    details.map(({ index }) => index),
    [0, 1],
  )
})

test.run()
