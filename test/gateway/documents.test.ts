import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** What a messages client shows and says of it reaches every vendor, in words where its format has no field for it. */

const about = { title: 'Report', context: 'From the archive.' }
const plain = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Snow.' }, ...about }
const pdf = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
  ...about,
}
const question = { type: 'text', text: 'What?' }
const data = 'data:application/pdf;base64,JVBE'

const ask = async (provider: string, content: readonly object[]) => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider })
  const answer = await gateway.post('/v1/messages', {
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content }],
  })
  return { answer, calls: upstream.calls }
}

const historyOf = ({ calls }: Upstream): unknown[] => {
  const messages = calls[0]?.body?.messages
  return Array.isArray(messages) ? messages : []
}

const sentTo = async (
  provider: string,
  content: readonly object[] = [plain, pdf, question],
): Promise<Record<string, unknown>> => {
  const { answer, calls } = await ask(provider, content)
  assert.is(answer.status, 200, answer.text)
  return calls[0]?.body ?? {}
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

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
const imageUrl = 'data:image/png;base64,iVBORw0KGgo='
const found = {
  type: 'search_result',
  source: 'https://a.example',
  title: 'Weather',
  content: [{ type: 'text', text: 'It snows.' }],
}
const held = {
  type: 'document',
  source: { type: 'content', content: [{ type: 'text', text: 'Page one.' }, image] },
  ...about,
}

test('a search result and a document of blocks are said to a chat-completions vendor', async () => {
  const { messages } = await sentTo('openai', [found, held])
  const said = ['Weather\n\nhttps://a.example', 'It snows.', 'Report\n\nFrom the archive.', 'Page one.']
  const content = [...said.map(text => ({ type: 'text', text })), { type: 'image_url', image_url: { url: imageUrl } }]
  assert.equal(messages, [{ role: 'user', content }])
  const alone = await sentTo('openai', [found])
  assert.equal(alone.messages, [{ role: 'user', content: 'Weather\n\nhttps://a.example\n\nIt snows.' }])
})

test('to a responses vendor', async () => {
  const { input } = await sentTo('openai-responses', [found, held])
  const said = ['Weather\n\nhttps://a.example', 'It snows.', 'Report\n\nFrom the archive.', 'Page one.']
  const content = [
    ...said.map(text => ({ type: 'input_text', text })),
    { type: 'input_image', image_url: imageUrl, detail: 'auto' },
  ]
  assert.equal(input, [{ type: 'message', role: 'user', content }])
})

test('and to a generate-content vendor', async () => {
  const { contents } = await sentTo('gemini', [found, held])
  const said = ['Weather\n\nhttps://a.example', 'It snows.', 'Report\n\nFrom the archive.', 'Page one.']
  const parts = [...said.map(text => ({ text })), { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }]
  assert.equal(contents, [{ role: 'user', parts }])
})

test('a document of blocks in the result of a tool shows its image, too', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'openai' })
  const messages = [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [found, held] }] },
  ]
  const answer = await gateway.post('/v1/messages', { model: 'm', max_tokens: 9, messages })
  assert.is(answer.status, 200, answer.text)
  assert.equal(historyOf(upstream).slice(2), [
    {
      role: 'tool',
      tool_call_id: 'toolu_1',
      content: 'Weather\n\nhttps://a.example\n\nIt snows.\n\nReport\n\nFrom the archive.\n\nPage one.',
    },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: imageUrl } }] },
  ])
})

const unknown: Readonly<Record<string, { readonly block: object; readonly field: string }>> = {
  'a block': { block: { type: 'hologram', data: 'x' }, field: 'messages[0].content[1].type' },
  'the source of a document': {
    block: { type: 'document', source: { type: 'hologram' } },
    field: 'messages[0].content[1].source.type',
  },
  'a block inside a document': {
    block: { type: 'document', source: { type: 'content', content: [{ type: 'hologram' }] } },
    field: 'messages[0].content[1].source.content[0].type',
  },
}
for (const [what, { block, field }] of Object.entries(unknown)) {
  for (const provider of ['openai', 'openai-responses', 'gemini']) {
    test(`${what} of an unknown type is refused by its field before ${provider} (D42)`, async () => {
      const { answer, calls } = await ask(provider, [question, block])
      assert.is(answer.status, 400, answer.text)
      assert.is(answer.json.error.type, 'invalid_request_error')
      assert.ok(answer.json.error.message.includes(`${field}: `), answer.text)
      assert.equal(calls, [])
    })
  }
  test(`${what} of an unknown type reaches a messages vendor as it is`, async () => {
    const content = [question, block, found, held]
    const { messages } = await sentTo('anthropic', content)
    assert.equal(messages, [{ role: 'user', content }])
  })
}

test('what the vendor did beside its words does not keep a history from other vendors', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'openai' })
  const ask = (block: object) =>
    gateway.post('/v1/messages', {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Search.' },
        { role: 'assistant', content: [block, { type: 'text', text: 'Found.' }] },
        { role: 'user', content: 'Go on.' },
      ],
    })
  const searched = await ask({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} })
  assert.is(searched.status, 200, searched.text)
  assert.equal(historyOf(upstream)[1], { role: 'assistant', content: 'Found.' })
  const refused = await ask({ type: 'hologram' })
  assert.is(refused.status, 400)
  assert.ok(refused.json.error.message.includes('messages[1].content[0].type: '), refused.text)
})

test.run()
