import type { Block, Chat } from 'deflector'
import { promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { COUNT_TOKENS, countable, counting, isCountFormat } from 'deflector/formats/token-count'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const chat = (blocks: readonly Block[], more: Partial<Chat> = {}): Chat => ({
  system: [],
  turns: [{ role: 'user', blocks }],
  tools: [],
  sampling: {},
  ...more,
})
const ONE_TURN = countable(chat([])).tokens

test('counts instructions, turns, tools, calls, results and schemas', () => {
  const call: Block = { type: 'tool_call', id: 'c1', name: 'look', args: '{"at":"sky"}' }
  const result: Block = { type: 'tool_result', id: 'c1', isError: false, blocks: [{ type: 'text', text: 'blue' }] }
  const { texts, tokens } = countable(
    chat([{ type: 'text', text: 'why?' }, call, result, { type: 'reasoning', text: 'hm', redacted: 'x'.repeat(40) }], {
      system: ['be brief'],
      tools: [{ name: 'look', description: 'looks', parameters: { type: 'object' } }],
      responseFormat: { type: 'schema', schema: { type: 'string' } },
    }),
  )
  const all = texts.join('|')
  for (const text of ['be brief', 'why?', 'look', '{"at":"sky"}', 'blue', 'hm', 'looks', '"object"', '"string"'])
    assert.ok(all.includes(text), text)
  assert.ok(tokens >= ONE_TURN * 2 + 10 + 10)
})

/** The head of a PNG of this size, in base64. */
function png(width: number, height: number): string {
  const bytes = Buffer.alloc(64)
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes.toString('base64')
}

const mediaTokens = (block: Block): number => countable(chat([block])).tokens - ONE_TURN
const image = (data: string): Block => ({ type: 'image', source: { data, mediaType: 'image/png' } })

test('an image counts by its size, one of unknown size as a large one', () => {
  assert.is(mediaTokens(image(png(300, 250))), 100)
  assert.is(mediaTokens(image(png(8000, 8000))), 1600)
  assert.is(mediaTokens(image('not an image')), 1600)
  assert.is(mediaTokens({ type: 'image', source: { url: 'https://example.com/a.png' } }), 1600)
})

test('the size of other kinds of images is found too', () => {
  const gif = Buffer.alloc(40)
  gif.write('GIF89a', 'latin1')
  gif.writeUInt16LE(75, 6)
  gif.writeUInt16LE(100, 8)
  assert.is(mediaTokens(image(gif.toString('base64'))), 10)
  const jpeg = Buffer.alloc(64)
  jpeg.set([0xff, 0xd8, 0xff, 0xe0, 0, 16], 0)
  jpeg.set([0xff, 0xc0, 0, 17, 8, 0, 75, 0, 100], 20)
  assert.is(mediaTokens(image(jpeg.toString('base64'))), 10)
  const webp = Buffer.alloc(40)
  webp.write('RIFF0000WEBPVP8X', 'latin1')
  webp.writeUIntLE(74, 24, 3)
  webp.writeUIntLE(99, 27, 3)
  assert.is(mediaTokens(image(webp.toString('base64'))), 10)
})

test('documents and sound count by their length', () => {
  const page: Block = { type: 'document', source: { data: 'A'.repeat(200_000), mediaType: 'application/pdf' } }
  assert.is(mediaTokens(page), 7500)
  assert.ok(mediaTokens({ type: 'audio', source: { data: 'A'.repeat(40_000), mediaType: 'audio/wav' } }) > 10)
})

test('a counting format reads conversations as another operation', () => {
  const format = counting(chatCompletions, { encodeCount: tokens => ({ tokens }) })
  const body = { messages: [{ role: 'user', content: 'hi' }] }
  const prompt = promptOf(format, Buffer.from(JSON.stringify(body)), body)
  assert.is(prompt.operation, COUNT_TOKENS)
  assert.ok(isCountFormat(prompt.dialect))
  assert.not(isCountFormat(chatCompletions))
  assert.equal(format.encodeCount(3), { tokens: 3 })
})

test.run()
