import { Cancellation, type Completion, isObject, type JsonObject, type ProviderCall, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages as messagesFormat } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatCompletionsPlugin from '../../../../plugins/providers/chat-completions.ts'
import { aliases } from '../../../../plugins/providers/index.ts'
import signedPlugin from '../../../../plugins/providers/signed.ts'
import { testHost } from '../../../contracts/host.ts'
import { waiting } from '../../../contracts/waiting.ts'
import { startUpstream } from '../../../support/upstream.ts'
import { failure, readFrames } from '../vendor-faults.ts'
import { ROWS, type Row } from './rows.ts'
import { strictly } from './strict-vendor.ts'

const upstream = await startUpstream()

/** All that clients send and vendors quarrel about. */
const RICH: JsonObject = {
  messages: [
    { role: 'developer', content: 'be brief' },
    { role: 'user', content: 'first', name: 'ann' },
    { role: 'user', content: 'second' },
  ],
  max_completion_tokens: 50,
  temperature: 2,
  top_p: 0.9,
  top_k: 4,
  n: 1,
  seed: 7,
  user: 'ann',
  frequency_penalty: 0.1,
  presence_penalty: 0.1,
  logit_bias: {},
  top_logprobs: 0,
  store: false,
  metadata: { of: 'me' },
  service_tier: 'auto',
  parallel_tool_calls: true,
  reasoning_effort: 'medium',
  stop: [],
  tools: [],
  tool_choice: 'auto',
}

/** The second round of a loop with tools, with what other vendors put into it. */
const LOOP: JsonObject = {
  ...RICH,
  messages: [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'look' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'I shall look',
      tool_calls: [
        {
          id: 'call_of_a_length_that_only_some_vendors_take',
          type: 'function',
          function: { name: 'look', arguments: '{}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_of_a_length_that_only_some_vendors_take', content: 'nothing' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'look',
        parameters: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: { at: { type: 'array', items: [{ type: 'number' }] } },
        },
      },
    },
  ],
}

interface Ask {
  readonly stream?: boolean
  readonly format?: typeof chatCompletions | typeof messagesFormat
}

/** What the provider of this name makes of a call, with the vendor at the stub's door. */
async function ask(name: string, body: JsonObject, { stream = false, format = chatCompletions }: Ask = {}) {
  const row = rowOf(name)
  const { pathname } = new URL(row.url.replace(/\{\w+\}/, 'mine'))
  const url = `http://127.0.0.1:${upstream.port}${pathname.replace(/\/chat\/completions$/, '')}`
  const host = testHost('provider', { name })
  const given = { ...aliases[name]?.options, url, api_key: row.keyless ? '' : 'key-1234' }
  const provider =
    aliases[name]?.use === 'signed' ? host.apply(signedPlugin, given) : host.apply(chatCompletionsPlugin, given)
  const sent = { ...body, stream }
  upstream.clear()
  upstream.script(call => strictly(row, { body: call.body ?? {}, headers: call.headers }))
  const call: ProviderCall = {
    prompt: promptOf(format, Buffer.from(JSON.stringify(sent)), sent),
    model: undefined,
    stream,
    key: provider.keys?.()[0]?.key,
    requestId: 'r1',
    headers: {},
    ...waiting(),
  }
  try {
    const answer = await provider.complete(call)
    assert.is(upstream.calls[0]?.path, pathname)
    assert.is(upstream.calls[0]?.body?.model, body.model ?? row.model)
    if (answer.kind === 'bytes') throw new Error('a chat was expected')
    if (answer.kind === 'live') assert.is((await readFrames(answer)).error, undefined)
    return answer.kind === 'live' ? (await answer.whole).completion : answer.completion
  } finally {
    await host.dispose()
  }
}

function rowOf(name: string): Row {
  const row = ROWS[name]
  if (!row) throw new Error(`there is no row for ${name}`)
  return row
}

const summary = ({ blocks, usage }: Completion) => ({
  reasoning: blocks.flatMap(block => (block.type === 'reasoning' ? [block.text] : [])).join(''),
  text: blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join(''),
  calls: blocks.flatMap(block => (block.type === 'tool_call' ? [`${block.name} ${block.args}`] : [])),
  usage: usage && [usage.input, usage.output],
})
const SAID = { reasoning: 'hm', text: 'hello', calls: [] as string[], usage: [7, 5] }
const CALLED = { ...SAID, calls: ['look {"at":1}'] }

for (const [name, row] of Object.entries(ROWS)) {
  const model = row.model ?? 'loaded'

  test(`${name}: its row is that of the reference`, () => {
    const { url, model: own, key_required, headers } = aliases[name]?.options ?? {}
    assert.is(`${url}/chat/completions`, row.url)
    assert.is(own, row.model)
    assert.is(key_required, row.keyless !== true)
    assert.equal(headers, row.headers)
  })

  for (const stream of [false, true]) {
    const how = stream ? 'streamed' : 'whole'
    test(`${name}: is asked as it wants to be, ${how}`, async () => {
      assert.equal(summary(await ask(name, { ...RICH, ...(row.model ? {} : { model }) }, { stream })), SAID)
    })

    test(`${name}: ${row.noTools ? 'leaves tools to others' : 'is asked with tools'}, ${how}`, async () => {
      const asking = ask(name, { ...LOOP, model }, { stream })
      if (!row.noTools) return assert.equal(summary(await asking), CALLED)
      const { reason, param } = await failure(asking)
      assert.equal([reason, param, upstream.calls.length], ['unsayable', 'tools', 0])
    })

    test(`${name}: is asked for a client of another format, ${how}`, async () => {
      const body: JsonObject = {
        model,
        max_tokens: 2000,
        system: 'be brief',
        thinking: { type: 'enabled', budget_tokens: 1024 },
        metadata: { user_id: 'ann' },
        messages: [
          { role: 'user', content: 'first' },
          { role: 'user', content: 'second' },
        ],
      }
      if (row.wants && 'random_seed' in row.wants) return // that format has no seed
      assert.equal(summary(await ask(name, body, { stream, format: messagesFormat })), SAID)
    })
  }

  for (const choice of ['none', 'required', 'named']) {
    const value = choice === 'named' ? { type: 'function', function: { name: 'look' } } : choice
    const word = choice === 'required' && row.choices?.includes('any') ? 'any' : choice
    if (row.noTools) continue
    test(`${name}: a tool choice of ${choice} is heeded, or left to others`, async () => {
      const asking = ask(name, { ...LOOP, model, tool_choice: value })
      const taken = !row.refuses?.includes('tool_choice') && (row.choices?.includes(word) ?? true)
      if (taken || choice === 'none') {
        await asking
        const { tools, tool_choice: sent } = upstream.calls[0]?.body ?? {}
        // Without a word for it, no tools say it as well.
        if (taken) assert.equal(sent, word === 'any' ? 'any' : value)
        else assert.equal([tools, sent], [undefined, undefined])
      } else
        assert.equal(await failure(asking).then(({ reason, param }) => [reason, param]), ['unsayable', 'tool_choice'])
    })
  }

  for (const type of ['json_object', 'json_schema']) {
    const format = { type, ...(type === 'json_schema' && { json_schema: { name: 'a', schema: { type: 'object' } } }) }
    test(`${name}: a response format of ${type} is heeded, or left to others`, async () => {
      const asking = ask(name, { ...RICH, model, response_format: format })
      if (row.formats?.includes(type) ?? true) {
        await asking
        assert.equal(upstream.calls[0]?.body?.response_format, format)
      } else
        assert.equal(await failure(asking).then(({ reason, param }) => [reason, param]), [
          'unsayable',
          'response_format',
        ])
    })
  }

  if (row.streamsOnly !== undefined)
    test(`${name}: a whole answer of a model that only streams is put together`, async () => {
      assert.equal(summary(await ask(name, { ...RICH, model: row.streamsOnly })), SAID)
    })
}

test('what a vendor cannot do is left to others, by the name of the field', async () => {
  for (const [name, field, value] of [
    ['deepseek', 'n', 2],
    ['groq', 'logprobs', true],
    ['groq', 'n', 3],
    ['mistral', 'logprobs', true],
    ['perplexity', 'stop', 'END'],
    ['ollama', 'n', 2],
  ] as const) {
    const { reason, param } = await failure(ask(name, { ...RICH, [field]: value }))
    assert.equal([reason, param, upstream.calls.length], ['unsayable', field, 0], name)
  }
})

test('openrouter is told to heed tools and schemas, unless the client chose for itself', async () => {
  await ask('openrouter', { ...LOOP })
  assert.equal(upstream.calls[0]?.body?.provider, { require_parameters: true })
  await ask('openrouter', { ...LOOP, provider: { sort: 'price', require_parameters: false } })
  assert.equal(upstream.calls[0]?.body?.provider, { sort: 'price', require_parameters: false })
  await ask('openrouter', RICH)
  assert.is(upstream.calls[0]?.body?.provider, undefined)
})

/** Where the vendors of the reference list their models; the others do it beside their chat. */
const LISTS: Readonly<Record<string, string | undefined>> = {
  github: '/catalog/models',
  cloudflare: undefined,
  cohere: undefined,
  galadriel: undefined,
  minimax: undefined,
  perplexity: undefined,
}

for (const name of ['openai', 'groq', 'ollama', ...Object.keys(LISTS)])
  test(`${name}: its models are asked for where it lists them, or not at all`, async () => {
    const { pathname } = new URL(rowOf(name).url.replace(/\{\w+\}/, 'mine'))
    const base = pathname.replace(/\/chat\/completions$/, '')
    const host = testHost('provider', { name })
    const url = `http://127.0.0.1:${upstream.port}${base}`
    const provider = host.apply(chatCompletionsPlugin, { ...aliases[name]?.options, url, api_key: 'key-1234' })
    upstream.clear()
    const listed = await provider.listModels?.(new Cancellation())
    const path = name in LISTS ? LISTS[name] : `${base}/models`
    assert.equal([upstream.calls[0]?.path, listed?.[0]?.id], [path, path && 'stub-model'])
    await host.dispose()
  })

test('every vendor of the chat-completions format has a row, under each of its names', () => {
  const known = new Set(Object.keys(ROWS).map(name => JSON.stringify(aliases[name])))
  const unknown = Object.entries(aliases).filter(
    ([, alias]) => alias.use === 'chat-completions' && !known.has(JSON.stringify(alias)),
  )
  assert.equal(
    unknown.map(([name]) => name),
    ['custom', 'openai-compatible'],
  )
  assert.ok(Object.values(aliases).every(({ options }) => isObject(options)))
})

test.run()
