import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream()
const chat = await startGateway({ upstream })
const messages = await startGateway({ upstream, provider: 'anthropic' })
const google = await startGateway({ upstream, provider: 'gemini' })

test.after(async () => {
  for (const each of [chat, messages, google, upstream]) await each.close()
})
test.before.each(() => upstream.clear())

const ask = { role: 'user', content: 'how many rows?' }
const said = { role: 'assistant', content: [{ type: 'output_text', text: 'There are 42.' }] }
const next = { role: 'user', content: 'and columns?' }
const code = {
  type: 'code_interpreter_call',
  id: 'ci_1',
  status: 'completed',
  code: 'print(len(rows))',
  container_id: 'cntr_1',
  outputs: [{ type: 'logs', logs: '42\n' }],
}
const tool = {
  type: 'mcp_call',
  id: 'mcp_1',
  server_label: 'tables',
  name: 'count',
  arguments: '{"of":"rows"}',
  output: '42 rows',
}
const listed = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'tables', tools: [] }
const searched = { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['rows'], results: null }
const asks = { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'tables', name: 'count', arguments: '{}' }
const approves = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }
const drawn = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=' }

/** The model's turn, as a chat vendor got it. */
const secondSaid = (): string =>
  (upstream.calls[0]?.body?.messages as { content: string }[] | undefined)?.[1]?.content ?? ''

const respond = (gateway: typeof chat, input: readonly object[], more: object = {}) =>
  gateway.post('/v1/responses', { model: 'm', store: false, input, ...more })

for (const [vendor, gateway] of Object.entries({ chat, messages, google }))
  test(`steps of the past that a vendor ran itself reach a ${vendor} vendor in words, and keep none away`, async () => {
    const { status } = await respond(gateway, [ask, searched, listed, asks, approves, code, tool, said, next])
    assert.is(status, 200)
    const sent = upstream.calls[0]?.raw.toString() ?? ''
    for (const word of ['print(len(rows))', '42 rows', 'There are 42.', 'and columns?']) assert.match(sent, word)
    assert.not.match(sent, /file_search|mcp_list|approval|cntr_1/)
  })

test('words and steps stay apart, and the steps are noted', async () => {
  const answer = { role: 'assistant', content: [{ type: 'output_text', text: 'I count.' }] }
  const { headers } = await respond(chat, [ask, answer, searched, code, said, next])
  const content = secondSaid()
  assert.match(content, /^I count\.\n\n.*```python\nprint\(len\(rows\)\)\n```\n\n.*```\n42\n```\n\nThere are 42\.$/s)
  const one = (await chat.get(`/api/admin/requests/${headers.get('x-service-request-id')}`)).json
  assert.equal(one.attempts[0].omitted, ['input.file_search_call', 'input.code_interpreter_call'])
})

test('an image that a vendor made goes to the others', async () => {
  assert.is((await respond(messages, [ask, drawn, said, next])).status, 200)
  const turns = upstream.calls[0]?.body?.messages as readonly { role: string; content: unknown }[]
  assert.equal(
    turns.map(({ role, content }) => [role, JSON.stringify(content).includes(drawn.result)]),
    [
      ['user', false],
      ['assistant', false],
      ['user', true],
    ],
  )
})

test('what is pending needs its vendor', async () => {
  const runs = { ...code, status: 'in_progress', outputs: null }
  const { output: _, ...called } = tool
  const cases: readonly (readonly [readonly object[], string])[] = [
    [[ask, asks], 'input[1]'],
    [[ask, asks, next], 'input[1]'],
    [[ask, asks, approves], 'input[2]'],
    [[ask, runs], 'input[1]'],
    [[ask, called], 'input[1]'],
    [[ask, { type: 'computer_call', call_id: 'c', action: {} }, next], 'input[1]'],
  ]
  for (const [input, field] of cases) {
    const { status, json } = await respond(chat, input)
    assert.equal([status, json.error?.param], [400, field], field)
  }
  assert.is(upstream.calls.length, 0)
  // The conversation went on without it.
  assert.is((await respond(chat, [ask, runs, called, next])).status, 200)
})

test('a request that needs such a tool itself is refused as before', async () => {
  const more = { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }
  const { status, json } = await respond(chat, [ask, code, said, next], more)
  assert.equal([status, json.error.param], [400, 'tools[0]'])
})

const user = (text: string) => ({ role: 'user', parts: [{ text }] })
const ran = { executableCode: { language: 'PYTHON', code: 'print(6 * 7)' } }
const came = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } }
const generate = (...contents: readonly object[]) =>
  chat.post('/v1beta/models/m:generateContent', { contents: [user('count'), ...contents] })

test('code that a generate-content vendor ran reaches another one, unless it still runs', async () => {
  const parts = [{ text: 'I count.' }, ran, came, { text: 'There are 42.' }]
  assert.is((await generate({ role: 'model', parts }, user('sure?'))).status, 200)
  const content = secondSaid()
  assert.match(content, /^I count\.\n\n.*```python\nprint\(6 \* 7\)\n```\n\n.*```\n42\n```\n\nThere are 42\.$/s)
  assert.is((await generate({ role: 'model', parts: [ran] }, user('go on'))).status, 200)
  const pending = await generate({ role: 'model', parts: [{ text: 'I count.' }, ran] })
  assert.is(pending.status, 400)
  assert.match(pending.json.error.message, 'contents[1].parts')
})

test.run()
