import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { checkResponsesGrammar } from '../support/grammar/responses.ts'
import { startUpstream } from '../support/upstream.ts'

/** A session of two tool turns as a coding agent of the responses dialect holds it, before a vendor of each format. */

const PATCH = '*** Begin Patch\n*** Update File: a.txt\n+"héllo"\n*** End Patch\n'
const schema = {
  type: 'object',
  properties: { cmd: { type: 'string' } },
  required: ['cmd'],
  additionalProperties: false,
}
const head = {
  model: 'gpt-test',
  instructions: 'You are a coding agent.',
  tools: [
    { type: 'function', name: 'exec_command', description: 'Runs.', strict: false, parameters: schema },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    },
    {
      type: 'namespace',
      name: 'mcp__cache',
      description: 'the cache',
      tools: [{ type: 'function', name: 'service_chat', strict: false, parameters: schema }],
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'session-1',
  client_metadata: { run: '1' },
}
const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const opening = [
  { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandbox: read-only.' }] },
  user('<environment_context>cwd /work</environment_context>'),
  user('Greet in a.txt'),
]

type Item = Record<string, unknown> & { readonly type: string }

/** What the agent makes of a stream: items as they are done, and the end, which needs an id and whole numbers. */
function turnOf(text: string): Item[] {
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''))
  const last = events.at(-1)
  assert.is(last?.type, 'response.completed', text)
  assert.match(last.response.id, /^resp_/)
  const { usage } = last.response
  for (const count of [usage.input_tokens, usage.output_tokens, usage.total_tokens]) assert.ok(Number.isInteger(count))
  assert.ok(Number.isInteger(usage.input_tokens_details.cached_tokens))
  assert.ok(Number.isInteger(usage.output_tokens_details.reasoning_tokens))
  return events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []))
}

/** It sends no ids back. */
const sentBack = ({ id: _, status: __, ...item }: Item): object => item

/** A frame of zstd whose one block stands as it is. */
function zstd(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text)
  const block = (bytes.length << 3) | 1
  return new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3, block & 255, (block >> 8) & 255, block >> 16, ...bytes])
}

for (const provider of ['openai-responses', 'openai', 'anthropic']) {
  test(`a session of two tool turns before ${provider}, run twice`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider })
    const isOwn = provider === 'openai-responses'
    const edit = isOwn
      ? { id: 'call_2', name: 'exec_command', arguments: '{"cmd":"edit"}' }
      : { id: 'call_2', name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) }
    upstream.script(
      {
        reasoning: 'Look first.',
        text: 'Looking.',
        toolCalls: [
          { id: 'call_1', name: 'exec_command', arguments: '{"cmd":"cat a.txt"}' },
          { id: 'call_1b', name: isOwn ? 'exec_command' : 'mcp__cache__service_chat', arguments: '{"cmd":"ask"}' },
        ],
      },
      { reasoning: 'Now edit.', toolCalls: [edit] },
      { text: 'Done: "héllo".' },
    )
    const say = async (input: readonly object[]): Promise<{ items: Item[]; layer: string | null }> => {
      const reply = await fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': 'zstd', originator: 'codex_exec' },
        body: zstd(JSON.stringify({ ...head, input })),
      })
      const text = await reply.text()
      assert.is(reply.status, 200, text)
      if (!isOwn) checkResponsesGrammar(text)
      return { items: turnOf(text), layer: reply.headers.get('x-service-layer') }
    }

    for (const where of ['l3', 'l1a']) {
      const history: object[] = [...opening]
      const one = await say(history)
      assert.equal(
        one.items.map(({ type }) => type),
        ['reasoning', 'message', 'function_call', 'function_call'],
      )
      const [, , , asked] = one.items
      if (!isOwn) assert.equal([asked?.name, asked?.namespace], ['service_chat', 'mcp__cache'])
      history.push(
        ...one.items.map(sentBack),
        { type: 'function_call_output', call_id: 'call_1', output: 'nothing' },
        { type: 'function_call_output', call_id: 'call_1b', output: [{ type: 'input_text', text: 'no idea' }] },
      )
      const two = await say(history)
      const call = two.items.at(-1)
      if (isOwn) assert.is(call?.type, 'function_call')
      else assert.equal([call?.type, call?.name, call?.input], ['custom_tool_call', 'apply_patch', PATCH])
      history.push(...two.items.map(sentBack), { type: `${call?.type}_output`, call_id: 'call_2', output: 'ok' })
      const three = await say(history)
      assert.match(JSON.stringify(three.items), 'Done:')
      assert.equal([one.layer, two.layer, three.layer], [where, where, where])
    }
    assert.is(upstream.calls.length, 3)
    const last = JSON.stringify(upstream.calls[2]?.body)
    for (const said of ['Sandbox: read-only.', 'nothing', 'no idea', 'Looking.', 'Begin Patch'].slice(0, isOwn ? 4 : 5))
      assert.match(last, said)
    if (provider === 'anthropic') assert.match(last, '"signature":"c2lnbmVk"')
    if (isOwn) assert.match(last, '"encrypted_content":"sealed 2"')
    await gateway.close()
  })
}

test.run()
