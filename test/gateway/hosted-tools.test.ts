import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** Tools that a vendor of another dialect would run (D42). */

const upstream = await startUpstream()
const refusing = await startGateway({ upstream })
const dropping = await startGateway({ upstream, settings: { SERVICE__HOSTED_TOOLS: 'drop' } })
const toMessages = await startGateway({
  upstream,
  provider: 'deepseek-messages',
  settings: { SERVICE__HOSTED_TOOLS: 'drop' },
})
const own = await startGateway({
  upstream,
  provider: 'openai-responses',
  settings: { SERVICE__HOSTED_TOOLS: 'drop' },
})
test.before.each(() => upstream.clear())
test.after(async () => {
  for (const each of [refusing, dropping, toMessages, own, upstream]) await each.close()
})

let n = 0
/** A turn as coding agents send it: a search of the vendor's own among the functions. */
const turn = (more: object = {}) => ({
  model: 'gpt-5-codex',
  instructions: 'You are a coding agent.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `wish ${n++}` }] }],
  tools: [
    {
      type: 'function',
      name: 'shell',
      description: 'Runs a command',
      strict: false,
      parameters: { type: 'object', properties: { command: { type: 'array', items: { type: 'string' } } } },
    },
    { type: 'custom', name: 'apply_patch', description: 'Edits files', format: { type: 'text' } },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0198-session',
  ...more,
})

interface Sent {
  readonly function?: { readonly name: string }
  readonly custom?: { readonly name: string }
  readonly name?: string
}

const namesIn = (tools: unknown): unknown[] =>
  (tools as Sent[] | undefined)?.map(tool => (tool.function ?? tool.custom ?? tool).name) ?? []

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole'

  test(`D42: refused by default, with the field and the setting, ${how}`, async () => {
    const { status, json } = await refusing.post('/v1/responses', turn({ stream }))
    assert.equal([status, json.error.param], [400, 'tools[2]'])
    assert.match(json.error.message, 'web_search')
    assert.match(json.error.message, 'hosted_tools = "drop"')
    assert.is(upstream.calls.length, 0)
  })

  test(`dropped where the setting says so, ${how}: the other tools stay`, async () => {
    for (const gateway of [dropping, toMessages]) {
      const { status, text } = await gateway.send('/v1/responses', JSON.stringify(turn({ stream })))
      assert.is(status, 200, text)
      assert.equal(namesIn(upstream.calls.at(-1)?.body?.tools), ['shell', 'apply_patch'])
    }
  })
}

test('a vendor of the same dialect gets them whatever the setting says', async () => {
  const asked = turn()
  assert.is((await own.post('/v1/responses', asked)).status, 200)
  assert.equal(upstream.calls[0]?.body?.tools, asked.tools)
})

test('what the client wants called is never dropped', async () => {
  const search = [{ type: 'web_search' }]
  for (const more of [
    { tool_choice: { type: 'web_search' } },
    { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'shell' }, ...search] } },
    { tool_choice: 'required', tools: search },
  ]) {
    const { status, json } = await dropping.post('/v1/responses', turn(more))
    assert.equal([status, json.error.param], [400, 'tool_choice'])
  }
  assert.is(upstream.calls.length, 0)
})

test('with no tool left the vendor gets none', async () => {
  assert.is((await dropping.post('/v1/responses', turn({ tools: [{ type: 'web_search' }] }))).status, 200)
  assert.is(upstream.calls[0]?.body?.tools, undefined)
  assert.is(upstream.calls[0]?.body?.tool_choice, undefined)
})

test('tools of other dialects are dropped alike', async () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const search = { type: 'web_search_20250305', name: 'web_search' }
  const asked = {
    model: 'm',
    max_tokens: 9,
    messages,
    tools: [search, { name: 'f', input_schema: { type: 'object' } }],
  }
  assert.is((await dropping.post('/v1/messages', asked)).status, 200)
  assert.equal(namesIn(upstream.calls[0]?.body?.tools), ['f'])
  const google = { contents: [{ parts: [{ text: 'Hi' }] }], tools: [{ googleSearch: {} }] }
  assert.is((await dropping.post('/v1beta/models/m:generateContent', google)).status, 200)
  assert.is(upstream.calls[1]?.body?.tools, undefined)
})

test.run()
