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
  return chunksIn(wire)
}

const chunksIn = (wire: string): JsonObject[] =>
  wire
    .split('\n\n')
    .filter(frame => frame.startsWith('data: {'))
    .map(frame => JSON.parse(frame.slice(6)))

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

// --- a messages vendor's answer that thinks more than once

const thinking = (text: string, signature: string) => ({ type: 'thinking', thinking: text, signature }) as const
const redacted = (data: string) => ({ type: 'redacted_thinking', data }) as const
const said = (text: string) => ({ type: 'text', text }) as const
type Part = ReturnType<typeof thinking> | ReturnType<typeof redacted> | ReturnType<typeof said>

/** The vendor's events for these parts, whose words come in pieces of two characters. */
function* vendorEvents(parts: readonly Part[]): Generator<JsonObject> {
  yield {
    type: 'message_start',
    message: { id: 'msg_1', model: 'claude', usage: { input_tokens: 1, output_tokens: 1 } },
  }
  for (const [index, part] of parts.entries()) {
    const delta = (value: JsonObject): JsonObject => ({ type: 'content_block_delta', index, delta: value })
    const pieces = (text: string): string[] => text.match(/.{1,2}/gs) ?? []
    const empty = part.type === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : said('')
    const content_block = part.type === 'redacted_thinking' ? part : empty
    yield { type: 'content_block_start', index, content_block }
    if (part.type === 'text') for (const text of pieces(part.text)) yield delta({ type: 'text_delta', text })
    if (part.type === 'thinking') {
      for (const text of pieces(part.thinking)) yield delta({ type: 'thinking_delta', thinking: text })
      yield delta({ type: 'signature_delta', signature: part.signature })
    }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }
  yield { type: 'message_stop' }
}

/** The chunks that a chat-completions client is sent. */
function chunksFrom(parts: readonly Part[]): JsonObject[] {
  const decoder = messages.streamDecoder()
  const encoder = format.streamEncoder(prompt, reply)
  let wire = ''
  for (const event of vendorEvents(parts))
    for (const each of decoder.push({ event: String(event.type), data: JSON.stringify(event) }))
      wire += encoder.push(each)
  return chunksIn(wire)
}

const deltasIn = (chunks: readonly JsonObject[]): JsonObject[] =>
  chunks.flatMap(({ choices }) => (choices as readonly { delta: JsonObject }[]).map(({ delta }) => delta))

const textIn = (deltas: readonly JsonObject[], field: string): string =>
  deltas.map(delta => (typeof delta[field] === 'string' ? delta[field] : '')).join('')

const listsIn = (deltas: readonly JsonObject[]): JsonObject[][] =>
  deltas.flatMap(delta => (Array.isArray(delta.reasoning_details) ? [delta.reasoning_details as JsonObject[]] : []))

/** Clients put the lists of a stream together in these ways. */
const KEEPING: Readonly<Record<string, (chunks: readonly JsonObject[]) => JsonObject | Promise<JsonObject>>> = {
  'the last list alone, as the official SDK does': async chunks => {
    const lines = chunks.map(chunk => new TextEncoder().encode(`${JSON.stringify(chunk)}\n`))
    const { choices } = await ChatCompletionStream.fromReadableStream(ReadableStream.from(lines)).finalChatCompletion()
    return { ...choices[0]?.message }
  },
  'all lists, one behind the other': chunks => {
    const deltas = deltasIn(chunks)
    return { ...wordsIn(deltas), reasoning_details: listsIn(deltas).flat() }
  },
  'all lists, joined by index': chunks => {
    const deltas = deltasIn(chunks)
    const joined: JsonObject[] = []
    for (const detail of listsIn(deltas).flat()) {
      const at = joined.findIndex(({ index }) => index === detail.index)
      const before = joined[at]
      if (before) joined[at] = { ...before, ...detail, text: `${before.text ?? ''}${detail.text ?? ''}` }
      else joined.push(detail)
    }
    return { ...wordsIn(deltas), reasoning_details: joined }
  },
}

const wordsIn = (deltas: readonly JsonObject[]): JsonObject => ({
  role: 'assistant',
  content: textIn(deltas, 'content'),
  reasoning_content: textIn(deltas, 'reasoning_content'),
})

/** What the vendor gets back when the client sends its message in a history. */
function partsBack(message: JsonObject): unknown {
  const chat = format.decodePrompt({ model: 'm', messages: [user, message, user] })
  const body = messages.encodePrompt(chat, { model: 'claude-opus-4-5', stream: false })
  return (body.messages as readonly JsonObject[])[1]?.content
}

const IN_A_ROW = [thinking('first thought', 'c2lnQQ=='), redacted('aGlk'), thinking('second', 'c2lnQg=='), said('so')]
const APART = [thinking('first', 'c2lnQQ=='), said('so'), thinking('second thought', 'c2lnQg=='), redacted('aGlk')]
const MOVED = [thinking('first', 'c2lnQQ=='), thinking('second thought', 'c2lnQg=='), redacted('aGlk'), said('so')]

for (const [how, keep] of Object.entries(KEEPING)) {
  test(`thinking, hidden thinking and thinking come back in order to who keeps ${how}`, async () => {
    assert.equal(partsBack(await keep(chunksFrom(IN_A_ROW))), IN_A_ROW)
  })

  test(`thinking on both sides of words comes back to who keeps ${how}`, async () => {
    // A message has one place for reasoning, before its words.
    assert.equal(partsBack(await keep(chunksFrom(APART))), MOVED)
  })
}

test('thinking, hidden thinking and thinking come back in order from a whole answer', async () => {
  const { blocks } = messages.decodeAnswer({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: IN_A_ROW,
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  })
  assert.equal(partsBack(await whole(answered(blocks))), IN_A_ROW)
})

test('details are said where they stand, and all of them once more at the end of a stream with several lists', () => {
  const indexes = (parts: readonly Part[]): unknown =>
    listsIn(deltasIn(chunksFrom(parts))).map(list => list.map(({ index }) => index))
  assert.equal(indexes([thinking('first', 'c2lnQQ=='), redacted('aGlk'), said('so')]), [[0, 1]])
  assert.equal(indexes(APART), [[0], [0, 1, 2]])
})

test.run()
