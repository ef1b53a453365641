import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** What a messages client says of a document reaches every vendor, in words where its format has no field for it. */

const about = { title: 'Report', context: 'From the archive.' }
const plain = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Snow.' }, ...about }
const pdf = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
  ...about,
}
const question = { type: 'text', text: 'What?' }
const data = 'data:application/pdf;base64,JVBE'

const sentTo = async (provider: string): Promise<Record<string, unknown>> => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider })
  const messages = [{ role: 'user', content: [plain, pdf, question] }]
  const answer = await gateway.post('/v1/messages', { model: 'm', max_tokens: 9, messages })
  assert.is(answer.status, 200, answer.text)
  return upstream.calls[0]?.body ?? {}
}

test('a chat-completions vendor is told before the document', async () => {
  const { messages } = await sentTo('openai')
  assert.equal(messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Report\n\nFrom the archive.\n\nSnow.' },
        { type: 'text', text: 'From the archive.' },
        { type: 'file', file: { filename: 'Report', file_data: data } },
        question,
      ],
    },
  ])
})

test('so is a responses vendor', async () => {
  const { input } = await sentTo('openai-responses')
  assert.equal(input, [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Report\n\nFrom the archive.\n\nSnow.' },
        { type: 'input_text', text: 'From the archive.' },
        { type: 'input_file', filename: 'Report', file_data: data },
        { type: 'input_text', text: 'What?' },
      ],
    },
  ])
})

test('and a generate-content vendor, which has no name for a document either', async () => {
  const { contents } = await sentTo('gemini')
  assert.equal(contents, [
    {
      role: 'user',
      parts: [
        { text: 'Report\n\nFrom the archive.\n\nSnow.' },
        { text: 'Report\n\nFrom the archive.' },
        { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
        { text: 'What?' },
      ],
    },
  ])
})

test.run()
