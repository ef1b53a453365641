import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** A messages vendor, and a chat-completions vendor to fall back to. */
async function chain(settings: Readonly<Record<string, string>> = {}) {
  const [upstream, backup] = [await startUpstream(), await startUpstream()]
  const fallback = [{ provider: 'openai', url: backup.url, api_key: 'backup-key', model: 'backup-model' }]
  const gateway = await startGateway({
    upstream,
    provider: 'anthropic',
    settings: { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback), ...settings },
  })
  return { upstream, backup, gateway }
}

/** As the real one: reasoning that it did not sign itself is refused. */
function refuseForeign(vendor: Upstream): void {
  vendor.script(call => {
    const foreign = /"signature":\s*"(?!c2lnbmVk")/.test(call.raw.toString())
    return foreign ? { status: 400 } : {}
  })
}

const user = (content: unknown) => ({ role: 'user', content })
const asked = { model: 'claude-opus-4-5', max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }

/** The content of an answer, whole or from the events of a stream. */
function contentOf(text: string, stream: boolean): { type: string; [field: string]: unknown }[] {
  if (!stream) return JSON.parse(text).content
  const blocks: { type: string; [field: string]: unknown }[] = []
  const inputs: string[] = []
  for (const [, json] of text.matchAll(/^data: (\{.*\})$/gm)) {
    const { type, index, content_block, delta } = JSON.parse(json ?? '')
    if (type === 'content_block_start') blocks[index] = { ...content_block }
    if (type !== 'content_block_delta') continue
    const { type: _, partial_json = '', ...said } = delta
    const block = blocks[index] ?? { type: 'none' }
    for (const [field, piece] of Object.entries(said)) block[field] = `${block[field] ?? ''}${piece}`
    inputs[index] = `${inputs[index] ?? ''}${partial_json}`
    if (partial_json !== '' && block.type === 'tool_use' && inputs[index]?.endsWith('}'))
      block.input = JSON.parse(inputs[index])
  }
  return blocks
}

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole'

  test(`reasoning of a fallback never makes the next turn fail (${how})`, async () => {
    const { upstream, backup, gateway } = await chain()
    const first = [user('one')]
    upstream.script({ reasoning: 'mine', text: 'first' })
    const one = await gateway.send('/v1/messages', JSON.stringify({ ...asked, stream, messages: first }))
    const second = [...first, { role: 'assistant', content: contentOf(one.text, stream) }, user('two')]
    assert.is(contentOf(one.text, stream)[0]?.signature, 'c2lnbmVk')

    upstream.script({ status: 401 })
    backup.script({ reasoning: 'theirs', toolCalls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }] })
    const tools = [{ name: 'f', input_schema: { type: 'object' } }]
    const two = await gateway.send('/v1/messages', JSON.stringify({ ...asked, stream, tools, messages: second }))
    assert.is(two.headers.get('x-service-provider'), 'openai')
    const theirs = contentOf(two.text, stream)
    assert.equal(theirs[0], { type: 'thinking', thinking: 'theirs', signature: '' })
    assert.not.match(JSON.stringify(backup.calls[0]?.body), 'c2lnbmVk')

    refuseForeign(upstream)
    const result = user([{ type: 'tool_result', tool_use_id: 'c', content: 'done' }])
    const third = [...second, { role: 'assistant', content: theirs }, result]
    const three = await gateway.send('/v1/messages', JSON.stringify({ ...asked, stream, tools, messages: third }))
    assert.is(three.status, 200, three.text)
    assert.is(three.headers.get('x-service-provider'), 'anthropic')
    const sent = upstream.calls.at(-1)?.body
    const { thinking: _, ...rest } = { ...asked, stream, tools }
    const kept = theirs.slice(1)
    assert.equal(sent, { ...rest, messages: [...second, { role: 'assistant', content: kept }, result] })
    await gateway.close()
  })
}

test("all other bytes of a body that lost its foreign reasoning are the client's own", async () => {
  const { upstream, gateway } = await chain()
  const block = '{"type":"thinking", "thinking":"hm","signature":""}'
  const text = `{ "model":"claude-opus-4-5","max_tokens":10 ,"messages":[{"role":"user","content":"a"},
    {"role":"assistant","content":[ ${block} , {"type":"text","text":"b","n":12345678901234567890} ]},{"role":"user","content":"c"}]}`
  await gateway.send('/v1/messages', text)
  assert.is(upstream.calls[0]?.raw.toString(), text.replace(`${block} , `, ''))
  const own = text.replace('"signature":""', '"signature":"c2lnbmVk"')
  await gateway.send('/v1/messages', own)
  assert.is(upstream.calls[1]?.raw.toString(), own)
  await gateway.close()
})

test('so they are where calls and words lose a proof that no vendor of generate-content made', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'gemini' })
  const call = '{"functionCall":{ "name":"f","args":{"n":1.0,"id":12345678901234567890}}, "thoughtSignature":""}'
  const said = '{"text":"b","thought_signature":"", "n":2.50}'
  const thought = '{"text":"hm","thought":true,"thoughtSignature":""}'
  const text = `{ "contents":[{"role":"user","parts":[{"text":"a"}]},
    {"role":"model","parts":[${thought} , ${said},${call}]}, {"role":"model","parts":[${thought}]},
    {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":3.0}}}]}]}`
  await gateway.send('/v1beta/models/gemini-x:generateContent', text)
  const kept = text
    .replace(`${thought} , `, '')
    .replace(',"thought_signature":""', '')
    .replace('"thoughtSignature":""}]},', '"thoughtSignature":"skip_thought_signature_validator"}]},')
    .replace(`, {"role":"model","parts":[${thought}]}`, '')
  assert.is(upstream.calls[0]?.raw.toString(), kept)
  await gateway.close()
})

test('a chat client carries a signature back to the vendor that made it, and no other vendor gets it', async () => {
  const { upstream, backup, gateway } = await chain()
  const body = { model: 'claude-opus-4-5', max_tokens: 4000, reasoning_effort: 'low' }
  upstream.script({ reasoning: 'mine', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] })
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  const one = await gateway.post('/v1/chat/completions', { ...body, tools, messages: [user('one')] })
  const { message } = one.json.choices[0]
  const messages = [user('one'), message, { role: 'tool', tool_call_id: 'c', content: 'done' }]
  await gateway.post('/v1/chat/completions', { ...body, tools, messages })
  const thinking = { type: 'thinking', thinking: 'mine', signature: 'c2lnbmVk' }
  assert.match(JSON.stringify(upstream.calls.at(-1)?.body), JSON.stringify(thinking))

  upstream.script({ status: 401 })
  const three = await gateway.post('/v1/chat/completions', { ...body, tools, messages: [...messages, user('go on')] })
  assert.is(three.headers.get('x-service-provider'), 'openai')
  const [, sent] = (backup.calls[0]?.body?.messages ?? []) as readonly Record<string, unknown>[]
  assert.is(sent?.reasoning_details, undefined)
  assert.is(sent?.reasoning_content, undefined)
  await gateway.close()
})

test('reasoning that nobody signed goes back in a loop of tools to those who want it, and not to OpenAI', async () => {
  const upstream = await startUpstream()
  const thinking = { type: 'thinking', thinking: 'hm', signature: '' }
  const content = [thinking, { type: 'tool_use', id: 'c', name: 'f', input: {} }]
  const result = { type: 'tool_result', tool_use_id: 'c', content: 'done' }
  const messages = [user('one'), { role: 'assistant', content }, user([result])]
  const call = { functionCall: { name: 'f', args: {} } }
  const contents = [
    { role: 'user', parts: [{ text: 'one' }] },
    { role: 'model', parts: [{ text: 'hm', thought: true }, call] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'done' } } }] },
  ]
  const input = [
    user('one'),
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'done' },
  ]
  for (const [provider, thought] of [
    ['deepseek', 'hm'],
    ['openai', undefined],
  ] as const) {
    const gateway = await startGateway({ upstream, provider })
    upstream.clear()
    await gateway.post('/v1/messages', { model: 'm', max_tokens: 9, messages })
    await gateway.post('/v1/responses', { model: 'm', store: false, input })
    await gateway.post('/v1beta/models/m:generateContent', { contents })
    const sent = upstream.calls.map(({ body }) => ((body?.messages ?? []) as Record<string, unknown>[])[1])
    assert.equal(
      sent.map(message => message?.reasoning_content),
      [thought, thought, thought],
      provider,
    )
    assert.ok(sent.every(message => Array.isArray(message?.tool_calls)))
    await gateway.close()
  }
})

for (const stream of [false, true])
  test(`a responses client carries the signature of a call back to its vendor (${stream ? 'streamed' : 'whole'})`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider: 'gemini' })
    const part = { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'U0lHRw==' }
    const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }]
    const json = { candidates, modelVersion: 'gemini-3-pro', responseId: 'r' }
    upstream.script(() => (stream ? { sse: [`data: ${JSON.stringify(json)}\n\n`] } : { json }))
    const asked = {
      model: 'gemini-3-pro',
      store: false,
      stream,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    }
    const one = await gateway.send('/v1/responses', JSON.stringify({ ...asked, input: [user('one')] }))
    const last = stream ? one.text.trim().split('\ndata: ').at(-1) : one.text
    const body = JSON.parse(last ?? '')
    const { output } = body.response ?? body
    const types = output.map(({ type }: { type: string }) => type)
    assert.equal(types, ['reasoning', 'function_call'])
    const done = { type: 'function_call_output', call_id: output[1].call_id, output: 'done' }
    await gateway.send('/v1/responses', JSON.stringify({ ...asked, input: [user('one'), ...output, done] }))
    const sent = String(upstream.calls.at(-1)?.raw)
    assert.match(sent, '"thoughtSignature":"U0lHRw=="')
    assert.not.match(sent, 'skip_thought_signature_validator')
    await gateway.close()
  })

/** Two vendors of one dialect. */
async function siblings() {
  const [upstream, backup] = [await startUpstream(), await startUpstream()]
  const fallback = [{ provider: 'deepseek-messages', url: backup.url, api_key: 'backup-key', model: 'backup-model' }]
  const settings = { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(fallback) }
  return { upstream, backup, gateway: await startGateway({ upstream, provider: 'anthropic', settings }) }
}

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole'

  test(`reasoning that one vendor signed is not sent to another of its dialect (${how})`, async () => {
    const { upstream, backup, gateway } = await siblings()
    const ask = async (messages: readonly unknown[]) =>
      (await gateway.send('/v1/messages', JSON.stringify({ ...asked, stream, messages }))).text
    upstream.script({ reasoning: 'mine', signature: 'bWluZQ==', text: 'first' })
    const mine = contentOf(await ask([user('one')]), stream)
    const second = [user('one'), { role: 'assistant', content: mine }, user('two')]
    upstream.script({ status: 401 })
    backup.script({ reasoning: 'theirs', signature: 'dGhlaXJz', text: 'second' })
    const theirs = contentOf(await ask(second), stream)
    assert.is(theirs[0]?.signature, 'dGhlaXJz')
    const bare = [user('one'), { role: 'assistant', content: mine.slice(1) }, user('two')]
    assert.equal(backup.calls[0]?.body?.messages, bare)

    const third = [...second, { role: 'assistant', content: theirs }, user('three')]
    await ask(third)
    const kept = [...second, { role: 'assistant', content: theirs.slice(1) }, user('three')]
    assert.equal(upstream.calls.at(-1)?.body?.messages, kept)

    const text = `{ "model":"claude-opus-4-5", "max_tokens":4000,"messages":${JSON.stringify([...second, user('four')])}}`
    await gateway.send('/v1/messages', text)
    assert.is(upstream.calls.at(-1)?.raw.toString(), text)
    await gateway.close()
  })

  test(`a client of another dialect brings no reasoning of one vendor to its sibling (${how})`, async () => {
    const { upstream, backup, gateway } = await siblings()
    const body = { model: 'claude-opus-4-5', max_tokens: 4000, reasoning_effort: 'low' }
    upstream.script({ reasoning: 'mine', signature: 'bWluZQ==', text: 'first', contrary: stream })
    const one = await gateway.post('/v1/chat/completions', { ...body, messages: [user('one')] })
    const messages = [user('one'), one.json.choices[0].message, user('two')]
    upstream.script({ status: 401 })
    await gateway.post('/v1/chat/completions', { ...body, messages })
    assert.not.match(JSON.stringify(backup.calls[0]?.body), 'bWluZQ')
    await gateway.post('/v1/chat/completions', { ...body, messages: [...messages, user('three')] })
    assert.match(JSON.stringify(upstream.calls.at(-1)?.body), '"signature":"bWluZQ=="')
    await gateway.close()
  })
}

test('a signature that several vendors give, or that was never seen, is for its dialect to judge', async () => {
  const { upstream, backup, gateway } = await siblings()
  const ask = async (messages: readonly unknown[]) =>
    contentOf((await gateway.send('/v1/messages', JSON.stringify({ ...asked, messages }))).text, false)
  upstream.script({ reasoning: 'mine', signature: 'given by both' })
  const mine = await ask([user('one')])
  upstream.script({ status: 401 })
  backup.script({ reasoning: 'theirs', signature: 'given by both' })
  await ask([user('two')])
  const unseen = { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'dW5zZWVu' }] }
  const messages = [user('one'), { role: 'assistant', content: mine }, user('two'), unseen, user('three')]
  upstream.script({ status: 401 })
  await ask(messages)
  assert.equal(backup.calls.at(-1)?.body?.messages, messages)
  await gateway.close()
})

test.run()
