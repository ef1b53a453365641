import Anthropic from '@anthropic-ai/sdk'
import {
  type AnswerEvent,
  type Chat,
  type Completion,
  type FaultClass,
  GatewayError,
  NO_CALL,
  replay,
  type Turn,
} from 'deflector'
import { exactJson } from 'deflector/formats/exact-json'
import { messages } from 'deflector/formats/messages'
import { StreamFault } from 'deflector/formats/stream-fault'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkMessagesGrammar, messagesLadder } from '../../support/grammar/messages.ts'
import { assembled, chunks, decoded, encoded, hello, reply } from './messages-stream.ts'

const model = 'claude-sonnet-4-5'
const user = (text: string): Turn => ({ role: 'user', blocks: [{ type: 'text', text }] })
const said = (text: string): Turn => ({ role: 'assistant', blocks: [{ type: 'text', text }] })
const calls = (...ids: string[]): Turn => ({
  role: 'assistant',
  blocks: ids.map(id => ({ type: 'tool_call', id, name: 'look', args: '{"at":1}' })),
})
const results = (...ids: string[]): Turn => ({
  role: 'user',
  blocks: ids.map(id => ({ type: 'tool_result', id, blocks: [{ type: 'text', text: `of ${id}` }], isError: false })),
})
const chat = (turns: readonly Turn[], rest: Partial<Chat> = {}): Chat => ({
  system: [],
  turns,
  tools: [],
  sampling: {},
  ...rest,
})
const encode = (it: Chat, to: { model?: string; stream?: boolean } = {}): Record<string, unknown> =>
  messages.encodePrompt(it, { model: to.model ?? model, stream: to.stream ?? false })
const written = (turns: readonly Turn[]): unknown[] => encode(chat(turns)).messages as unknown[]
const refused = (run: () => unknown): GatewayError => {
  try {
    run()
  } catch (error) {
    assert.instance(error, GatewayError)
    return error as GatewayError
  }
  throw new Error('nothing was refused')
}

// --- the head

test('reads the facts of a body and leaves the rest of it alone', () => {
  const body = { model: 'm', stream: null, max_tokens: 5, messages: [{ role: 'user', content: 'x' }], unheard_of: {} }
  assert.equal(messages.readHead(body, NO_CALL), { body, model: 'm', stream: false })
  assert.is(messages.readHead({ messages: body.messages, stream: true }, NO_CALL).stream, true)
})

test('a check by the vendor is its own to make, each time anew', () => {
  const asked = (more: object) => messages.readHead({ messages: [{ role: 'user', content: 'x' }], ...more }, NO_CALL)
  const state = { field: 'safeguards', refers: [], creates: false, essential: true }
  for (const safeguards of [{}, { input: true }]) assert.equal(asked({ safeguards }).state, state)
  assert.is(asked({ safeguards: null }).state, undefined)
  assert.is(asked({ safeguards: {}, container: {} }).state?.field, 'container')
})

test('finds a session in the body and in metadata, but not in the user id', () => {
  const ask = (more: object) =>
    messages.readHead({ messages: [{ role: 'user', content: 'x' }], ...more }, NO_CALL).session
  assert.is(ask({ thread_id: 't', metadata: { session_id: 's' } }), 't')
  assert.is(ask({ metadata: { conversation_id: 'c' } }), 'c')
  assert.is(ask({ metadata: { user_id: 'user_x_session_y' } }), undefined)
  assert.is(ask({ metadata: null }), undefined)
})

test('names the field that makes a body unreadable', () => {
  assert.is(refused(() => messages.readHead([], NO_CALL)).code, 'bad_request')
  assert.is(refused(() => messages.readHead({ messages: [] }, NO_CALL)).param, 'messages')
  assert.is(refused(() => messages.readHead({ messages: [{ role: 'user' }, 'x'] }, NO_CALL)).param, 'messages[1]')
  assert.is(refused(() => messages.readHead({ messages: [{ role: 'user' }], stream: 'yes' }, NO_CALL)).param, 'stream')
})

// --- reading a prompt

test('reads every block, and keeps as it is what it does not know', () => {
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { q: 'x' } }
  const it = messages.decodePrompt({
    max_tokens: 9,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See', cache_control: { type: 'ephemeral' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'né' }, title: 'T' },
          { type: 'document', source: { type: 'file', file_id: 'f1' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'thinking', thinking: 'foreign', signature: '' },
          { type: 'redacted_thinking', data: 'zzz' },
          search,
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            is_error: true,
            content: [
              { type: 'text', text: 'no' },
              { type: 'tool_reference', tool_name: 'x' },
            ],
          },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: 'plain' },
          { type: 'tool_result', tool_use_id: 'toolu_3' },
        ],
      },
    ],
  })
  assert.equal(it.turns, [
    {
      role: 'user',
      blocks: [
        { type: 'text', text: 'See' },
        { type: 'image', source: { data: 'AAAA', mediaType: 'image/png' } },
        { type: 'image', source: { url: 'https://x/y.png' } },
        {
          type: 'document',
          source: { data: Buffer.from('né').toString('base64'), mediaType: 'text/plain' },
          title: 'T',
        },
        { type: 'document', source: { fileId: 'f1' } },
      ],
    },
    {
      role: 'assistant',
      blocks: [
        { type: 'reasoning', text: 'hm', signature: 'sig', origin: 'messages' },
        { type: 'reasoning', text: 'foreign' },
        { type: 'reasoning', text: '', redacted: 'zzz', origin: 'messages' },
        { type: 'opaque', format: 'messages', value: search },
        { type: 'tool_call', id: 'toolu_1', name: 'look', args: '{}' },
      ],
    },
    {
      role: 'user',
      blocks: [
        {
          type: 'tool_result',
          id: 'toolu_1',
          isError: true,
          blocks: [
            { type: 'text', text: 'no' },
            { type: 'text', text: '{"type":"tool_reference","tool_name":"x"}' },
          ],
        },
        { type: 'tool_result', id: 'toolu_2', isError: false, blocks: [{ type: 'text', text: 'plain' }] },
        { type: 'tool_result', id: 'toolu_3', isError: false, blocks: [] },
      ],
    },
  ])
})

test('drops the billing note from the system text and keeps instructions in mid-conversation in their place', () => {
  const it = messages.decodePrompt({
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1; cch=2;' },
      { type: 'text', text: 'Be brief.' },
    ],
    messages: [
      { role: 'user', content: 'a' },
      { role: 'system', content: 'Now in French.' },
      { role: 'assistant', content: 'b' },
    ],
  })
  assert.equal(it.system, ['Be brief.'])
  assert.equal(
    it.turns.map(({ role }) => role),
    ['user', 'system', 'assistant'],
  )
})

test('reads tools, their choice, sampling, thinking and the schema', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const it = messages.decodePrompt({
    max_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 4,
    stop_sequences: ['END'],
    metadata: { user_id: 'u' },
    thinking: { type: 'enabled', budget_tokens: 2000 },
    output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    tools: [{ name: 'look', description: 'd', input_schema: schema, strict: true }],
    tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
    messages: [{ role: 'user', content: 'a' }],
  })
  assert.equal(it, {
    system: [],
    turns: [user('a')],
    tools: [{ name: 'look', description: 'd', parameters: schema, strict: true }],
    toolChoice: { mode: 'named', names: ['look'], parallel: false },
    sampling: { temperature: 0.5, topP: 0.9, topK: 4, stop: ['END'] },
    maxOutput: 100,
    reasoning: { mode: 'on', effort: 'low', budget: 2000 },
    responseFormat: { type: 'schema', schema, strict: true },
    user: 'u',
  })
  const thinking = (more: object) =>
    messages.decodePrompt({ messages: [{ role: 'user', content: 'a' }], ...more }).reasoning
  assert.is(thinking({}), undefined)
  assert.equal(thinking({ thinking: { type: 'disabled' } }), { mode: 'off' })
  assert.equal(thinking({ output_config: { effort: 'high' } }), { mode: 'auto', effort: 'high' })
})

test("keeps a vendor's own tool whole, so that only another format has to refuse it", () => {
  const tool = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }
  const it = messages.decodePrompt({ messages: [{ role: 'user', content: 'a' }], tools: [tool] })
  assert.equal(encode(it).tools, [tool])
  const foreign = chat([user('a')], { tools: [{ name: 'hunt', hosted: { format: 'other', value: {} } }] })
  assert.match(refused(() => encode(foreign)).message, 'hunt')
})

test('names the place of a block that is not what its type says', () => {
  const bad = (content: unknown) =>
    refused(() => messages.decodePrompt({ messages: [{ role: 'user', content }] })).param
  assert.is(bad(5), 'messages[0].content')
  assert.is(bad([{ type: 'text' }]), 'messages[0].content[0].text')
  assert.is(bad([{ type: 'image', source: { type: 'base64' } }]), 'messages[0].content[0].source.data')
  assert.is(
    refused(() => messages.decodePrompt({ messages: [{ role: 'robot', content: '' }] })).param,
    'messages[0].role',
  )
})

// --- writing a prompt

test('always says max_tokens and never more than the model gives', () => {
  const cap = (maxOutput: number | undefined, to: { model?: string; stream?: boolean }) =>
    encode(chat([user('a')], maxOutput === undefined ? {} : { maxOutput }), to).max_tokens
  assert.is(cap(undefined, {}), 8192)
  assert.is(cap(undefined, { stream: true }), 64_000)
  assert.is(cap(undefined, { model: 'claude-3-haiku' }), 4096)
  assert.is(cap(500_000, { model: 'claude-opus-4-1' }), 32_000)
  assert.is(cap(500_000, { model: 'somebody-else-9' }), 500_000)
  assert.is(cap(7, { stream: true }), 7)
})

test('lets a user begin, joins neighbours of one role and leaves empty text out', () => {
  assert.equal(written([said('a'), user('b'), user(' '), user('c'), said(''), user('d')]), [
    { role: 'user', content: 'Continue.' },
    { role: 'assistant', content: 'a' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'b' },
        { type: 'text', text: 'c' },
        { type: 'text', text: 'd' },
      ],
    },
  ])
  assert.equal(written([]), [{ role: 'user', content: 'Continue.' }])
})

const result = (id: string, content = `of ${id}`) => ({ type: 'tool_result', tool_use_id: id, content })
const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: { at: 1 } })
const lost = (id: string) => ({ ...result(id, 'No result was recorded for this call.'), is_error: true })

test('puts all results right after their calls, in the order of the calls, before any text', () => {
  assert.equal(written([user('q'), calls('a', 'b'), user('and?'), results('b'), results('a'), user('so')]).slice(1), [
    { role: 'assistant', content: [use('a'), use('b')] },
    {
      role: 'user',
      content: [result('a'), result('b'), { type: 'text', text: 'and?' }, { type: 'text', text: 'so' }],
    },
  ])
})

test('keeps the turns of a tool loop apart when their results are all that stands between', () => {
  const roles = (turns: readonly Turn[]) => (written(turns) as { role: string }[]).map(({ role }) => role).join(' ')
  assert.is(
    roles([user('q'), calls('a'), results('a'), calls('b'), results('b'), said('x'), user('y')]),
    'user assistant user assistant user assistant user',
  )
})

test('joins calls that a client spread over several turns', () => {
  assert.equal(written([user('q'), calls('a'), calls('b'), results('a'), results('b')]).slice(1), [
    { role: 'assistant', content: [use('a'), use('b')] },
    { role: 'user', content: [result('a'), result('b')] },
  ])
})

test('drops a result without a call, and gives a call without result one only when the talk went on', () => {
  assert.equal(written([user('q'), results('x'), calls('a'), user('go on')]).slice(1), [
    { role: 'assistant', content: [use('a')] },
    { role: 'user', content: [lost('a'), { type: 'text', text: 'go on' }] },
  ])
  assert.equal(written([user('q'), calls('a', 'b'), results('b')]).slice(1), [
    { role: 'assistant', content: [use('a'), use('b')] },
    { role: 'user', content: [lost('a'), result('b')] },
  ])
})

test('tells calls apart whose client counts from zero in every turn', () => {
  const turns = written([user('q'), calls('call_0'), results('call_0'), calls('call_0'), results('call_0')])
  assert.equal(turns.slice(1), [
    { role: 'assistant', content: [use('call_0')] },
    { role: 'user', content: [result('call_0')] },
    { role: 'assistant', content: [use('call_0_2')] },
    { role: 'user', content: [result('call_0_2', 'of call_0')] },
  ])
})

test('whatever the history, the turns are legal', () => {
  const turn = fc.oneof(
    fc.constantFrom(user('u'), user(''), said('s'), said(' ')),
    fc.constant<Turn>({ role: 'system', blocks: [{ type: 'text', text: 'rule' }] }),
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c:1'), { minLength: 1 }).map(ids => calls(...ids)),
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c:1'), { minLength: 1 }).map(ids => results(...ids)),
  )
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 12 }), turns => {
      const out = written(turns) as { role: string; content: string | Record<string, unknown>[] }[]
      const seen = new Set<unknown>()
      for (const [i, { role, content }] of out.entries()) {
        assert.is(role, i % 2 === 0 ? 'user' : 'assistant')
        assert.ok(content.length > 0)
        const before = out[i - 1]?.content
        const blocks = typeof content === 'string' ? [] : content
        const answered = blocks.filter(({ type }) => type === 'tool_result').map(block => block.tool_use_id)
        const asked = typeof before === 'object' ? before.filter(({ type }) => type === 'tool_use') : []
        if (role === 'user') {
          assert.equal(
            answered,
            asked.map(({ id }) => id),
          )
        }
        assert.not(blocks.slice(answered.length).some(({ type }) => type === 'tool_result'))
        for (const { type, id } of blocks) {
          if (type !== 'tool_use') continue
          assert.not(seen.has(id))
          assert.match(String(id), /^[A-Za-z0-9_-]+$/)
          seen.add(id)
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('writes an instruction in mid-conversation as marked text in its place', () => {
  const rule: Turn = { role: 'system', blocks: [{ type: 'text', text: 'In French.' }] }
  const marked = { type: 'text', text: '<system-instruction>\nIn French.\n</system-instruction>' }
  assert.equal(written([user('q'), calls('a'), rule, results('a')])[2], {
    role: 'user',
    content: [result('a'), marked],
  })
})

test('gives arguments as an object and throws none away', () => {
  const input = (args: string) => {
    const turn: Turn = { role: 'assistant', blocks: [{ type: 'tool_call', id: 'a', name: 'look', args }] }
    const body = encode(chat([user('q'), turn, results('a')]))
    return exactJson(body).match(/"input":(.*)\}\]\},\{"role":"user"/)?.[1]
  }
  assert.is(input(''), '{}')
  assert.is(input(' \n'), '{}')
  assert.is(input('{"a":'), '{"_raw":"{\\"a\\":"}')
  assert.is(input('[1,2]'), '{"value":[1,2]}')
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.is(input(nested(900)), `{"value":${nested(900)}}`)
  assert.is(input(nested(50_000)), `{"_raw":"${nested(50_000)}"}`)
  assert.is(input('null'), '{"value":null}')
  assert.is(input('12345678901234567890'), '{"value":12345678901234567890}')
  assert.is(input('{"z":1,"id":9007199254740993,"a":0.1}'), '{"z":1,"id":9007199254740993,"a":0.1}')
  assert.is(input('{"p":3.14159265358979323846,"h":1e400}'), '{"p":3.14159265358979323846,"h":1e400}')
})

test('a large number that is written by hand is at worst rounded, never broken', () => {
  const turn: Turn = {
    role: 'assistant',
    blocks: [{ type: 'tool_call', id: 'a', name: 'look', args: '{"n":9007199254740993}' }],
  }
  assert.match(JSON.stringify(encode(chat([user('q'), turn, results('a')]))), '"input":{"n":9007199254740992}')
})

test('tool ids come back as they were, whatever letters they have', () => {
  const id = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ maxLength: 8 }).map(text => `id64_${text}`),
  )
  fc.assert(
    fc.property(id, original => {
      const body = encode(chat([user('q'), calls(original), results(original)]))
      assert.match(JSON.stringify(body.messages), /"tool_use_id":"[A-Za-z0-9_-]+"/)
      const back = messages
        .decodePrompt(body)
        .turns.flatMap(({ blocks }) => blocks.map(block => 'id' in block && block.id))
      assert.equal(back.slice(1), [original, original])
      assert.equal(body, encode(chat([user('q'), calls(original), results(original)])))
    }),
  )
})

test('leaves foreign reasoning out and sends its own back unchanged', () => {
  const turn: Turn = {
    role: 'assistant',
    blocks: [
      { type: 'reasoning', text: 'foreign' },
      { type: 'reasoning', text: ' mine\n', signature: 'c2ln+/=' },
      { type: 'reasoning', text: '', redacted: 'cmVk' },
      { type: 'opaque', format: 'other', value: { type: 'x' } },
      { type: 'refusal', text: 'No.' },
    ],
  }
  assert.equal(written([user('q'), turn, user('r')])[1], {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: ' mine\n', signature: 'c2ln+/=' },
      { type: 'redacted_thinking', data: 'cmVk' },
      { type: 'text', text: 'No.' },
    ],
  })
})

test('sends images by data and by address, and trusts their bytes more than their label', () => {
  const png = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1').toString('base64')
  const content = (blocks: Turn['blocks']) =>
    (written([{ role: 'user', blocks }]) as { content: unknown }[])[0]?.content
  assert.equal(
    content([
      { type: 'image', source: { data: png, mediaType: 'image/jpeg' }, detail: 'high' },
      { type: 'image', source: { url: 'https://x/y' } },
      { type: 'image', source: { fileId: 'f' } },
      { type: 'document', source: { data: 'AAAA', mediaType: 'application/pdf' }, title: 'T' },
      { type: 'document', source: { data: Buffer.from('né').toString('base64'), mediaType: 'text/markdown' } },
    ]),
    [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      { type: 'image', source: { type: 'url', url: 'https://x/y' } },
      { type: 'image', source: { type: 'file', file_id: 'f' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'T' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'né' } },
    ],
  )
  assert.is(
    refused(() => content([{ type: 'audio', source: { data: 'A', mediaType: 'audio/wav' } }])).code,
    'bad_request',
  )
  assert.is(
    refused(() => content([{ type: 'image', source: { data: 'A', mediaType: 'image/tiff' } }])).code,
    'bad_request',
  )
})

test('sends the sampling settings that the model takes', () => {
  const sampling = { temperature: 1.7, topP: 0.5, topK: 3, seed: 4, stop: ['', 'END'], frequencyPenalty: 1 }
  const sent = (to: string, reasoning?: Chat['reasoning']) => {
    const body = encode(chat([user('a')], { sampling, ...(reasoning && { reasoning }) }), { model: to })
    return ['temperature', 'top_p', 'top_k', 'stop_sequences', 'seed'].filter(key => key in body).join(' ')
  }
  assert.is(sent('claude-sonnet-4-5'), 'temperature top_k stop_sequences')
  assert.is(sent('claude-sonnet-4-5', { mode: 'on' }), 'stop_sequences')
  assert.is(sent('claude-opus-4-8'), 'stop_sequences')
  assert.is(sent('claude-of-the-future-7'), 'stop_sequences')
  assert.is(sent('another-vendor'), 'temperature top_p top_k stop_sequences')
  const body = encode(chat([user('a')], { sampling }))
  assert.is(body.temperature, 1)
  assert.equal(body.stop_sequences, ['END'])
})

test('asks for thinking in the words of the model', () => {
  const asked = (to: string, reasoning: Chat['reasoning'], more: Partial<Chat> = {}) => {
    const body = encode(chat([user('a')], { ...(reasoning && { reasoning }), ...more }), { model: to })
    return [body.thinking, body.output_config, body.max_tokens]
  }
  const disabled = { type: 'disabled' }
  const adaptive = { type: 'adaptive' }
  const budget = (budget_tokens: number) => ({ type: 'enabled', budget_tokens })
  assert.equal(asked('claude-opus-5', undefined), [undefined, undefined, 8192])
  assert.equal(asked('claude-opus-5', { mode: 'on', effort: 'xhigh' }), [adaptive, { effort: 'xhigh' }, 8192])
  assert.equal(asked('claude-opus-5', { mode: 'off', effort: 'max' }), [disabled, { effort: 'high' }, 8192])
  assert.equal(asked('claude-sonnet-5', { mode: 'off' }), [disabled, undefined, 8192])
  assert.equal(asked('claude-sonnet-5-5', { mode: 'off' }), [undefined, { effort: 'low' }, 8192])
  assert.equal(asked('claude-sonnet-4-6', { mode: 'auto', effort: 'xhigh' }), [adaptive, { effort: 'max' }, 8192])
  assert.equal(asked('claude-opus-4-7', { mode: 'on', budget: 2048 }), [adaptive, { effort: 'low' }, 8192])
  assert.equal(asked('claude-opus-4-7', { mode: 'on', budget: 20_000 }), [adaptive, { effort: 'high' }, 8192])
  assert.equal(asked('claude-opus-4-7', { mode: 'on', effort: 'minimal' }), [adaptive, { effort: 'low' }, 8192])
  assert.equal(asked('claude-opus-4.5', { mode: 'on', effort: 'minimal' }), [budget(1024), undefined, 8192])
  assert.equal(asked('claude-opus-4-5', { mode: 'on', effort: 'high' }, { maxOutput: 10_000 }), [
    budget(6000),
    undefined,
    10_000,
  ])
  assert.equal(asked('claude-opus-4-5', { mode: 'on', budget: 5000 }, { maxOutput: 4000 }), [
    budget(5000),
    undefined,
    9000,
  ])
  assert.equal(asked('claude-opus-4-1', { mode: 'on', budget: 40_000 }), [budget(31_999), undefined, 32_000])
  assert.equal(asked('claude-opus-4-5', { mode: 'off' }), [undefined, undefined, 8192])
  assert.equal(asked('claude-3-haiku', { mode: 'on', effort: 'high' }), [undefined, undefined, 4096])
})

test('switches thinking off where a tool is forced, or gives up forcing where it cannot be switched off', () => {
  const forced = {
    tools: [{ name: 'look' }],
    toolChoice: { mode: 'any' },
    reasoning: { mode: 'on', effort: 'low' },
  } as const
  const sent = (to: string) => {
    const body = encode(chat([user('a')], forced), { model: to })
    return [body.thinking, body.tool_choice]
  }
  assert.equal(sent('claude-opus-5'), [{ type: 'disabled' }, { type: 'any' }])
  assert.equal(sent('claude-opus-4-5'), [undefined, { type: 'any' }])
  assert.equal(sent('claude-sonnet-5-5'), [undefined, { type: 'auto' }])
})

test('does not think in a tool loop whose reasoning was lost, where the model would refuse it', () => {
  const loop = [user('q'), calls('a'), results('a')]
  const reasoning = { mode: 'on' } as const
  assert.is(encode(chat(loop, { reasoning })).thinking, undefined)
  assert.equal(encode(chat(loop, { reasoning }), { model: 'claude-opus-5' }).thinking, { type: 'adaptive' })
  assert.ok(encode(chat([...loop, said('x'), user('y')], { reasoning })).thinking)
  const thought = { type: 'reasoning', text: 'hm', signature: 'sig' } as const
  const begun: Turn = { role: 'assistant', blocks: [thought, ...calls('b').blocks] }
  assert.ok(encode(chat([user('q'), begun, results('b'), ...loop.slice(1)], { reasoning })).thinking)
})

test('a strict tool says in words what the vendor has no grammar for, and is not strict where words are not enough', () => {
  const tools = (parameters: Record<string, unknown>, more: object = {}) => {
    const noted: string[] = []
    const given = { tools: [{ name: 'f', parameters, strict: true }] }
    const target = { model, stream: false, note: (field: string) => void noted.push(field), ...more }
    return [...(messages.encodePrompt(chat([user('q')], given), target).tools as unknown[]), noted]
  }
  const properties = { n: { type: 'integer', minimum: 1 }, s: { type: 'string', pattern: '^a', minLength: 2 } }
  assert.equal(tools({ type: 'object', properties, required: ['n', 's'], additionalProperties: false }), [
    {
      name: 'f',
      input_schema: {
        type: 'object',
        properties: {
          n: { type: 'integer', description: '(minimum: 1)' },
          s: { type: 'string', description: '(pattern: "^a", minLength: 2)' },
        },
        required: ['n', 's'],
        additionalProperties: false,
      },
      strict: true,
    },
    [],
  ])
  const free = { type: 'object', properties: { ...properties, map: { type: 'object' } } }
  assert.equal(tools(free), [{ name: 'f', input_schema: free }, ['tools.strict']])
  const old = { model: 'claude-sonnet-4-20250514' }
  assert.equal(tools({ type: 'object', properties }, old), [
    { name: 'f', input_schema: { type: 'object', properties } },
    ['tools.strict'],
  ])
})

test('maps the choice of tools', () => {
  const tools = [
    { name: 'a', description: 'd', parameters: { properties: { x: {} } }, strict: false },
    { name: 'b' },
    { name: 'c' },
  ]
  const sent = (toolChoice?: Chat['toolChoice']) =>
    encode(chat([user('q')], { tools, ...(toolChoice && { toolChoice }) }))
  assert.is(sent().tool_choice, undefined)
  assert.equal(sent().tools, [
    { name: 'a', description: 'd', input_schema: { type: 'object', properties: { x: {} } } },
    { name: 'b', input_schema: { type: 'object', properties: {} } },
    { name: 'c', input_schema: { type: 'object', properties: {} } },
  ])
  assert.equal(sent({ mode: 'none', parallel: false }).tool_choice, { type: 'none' })
  assert.equal(sent({ mode: 'auto', parallel: false }).tool_choice, { type: 'auto', disable_parallel_tool_use: true })
  assert.equal(sent({ mode: 'any' }).tool_choice, { type: 'any' })
  assert.equal(sent({ mode: 'named', names: ['b'] }).tool_choice, { type: 'tool', name: 'b' })
  const subset = sent({ mode: 'named', names: ['b', 'c'] })
  assert.equal(subset.tool_choice, { type: 'any' })
  assert.is((subset.tools as unknown[]).length, 2)
  assert.is((sent({ mode: 'auto', names: ['b'] }).tools as unknown[]).length, 1)
  assert.is(encode(chat([user('q')], { toolChoice: { mode: 'any' } })).tool_choice, undefined)
})

test('holds an answer to a schema in the form that the vendor enforces', () => {
  const schema = {
    type: 'object',
    properties: {
      n: { type: 'integer', minimum: 1, description: 'Count' },
      e: { oneOf: [{ type: 'string', format: 'email' }] },
    },
    required: ['n'],
  }
  const responseFormat = { type: 'schema', schema } as const
  assert.equal(encode(chat([user('q')], { responseFormat })).output_config, {
    format: {
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: {
          n: { type: 'integer', description: 'Count (minimum: 1)' },
          e: { anyOf: [{ type: 'string', format: 'email' }] },
        },
        required: ['n'],
        additionalProperties: false,
      },
    },
  })
  const old = refused(() => encode(chat([user('q')], { responseFormat }), { model: 'claude-sonnet-4-20250514' }))
  assert.is(old.param, 'response_format')
  assert.match(String(encode(chat([user('q')], { responseFormat: { type: 'json' } })).system), 'JSON object')
})

test('an object without fixed names is refused, as no answer could have its members', () => {
  const asked = (schema: Record<string, unknown>) => () =>
    encode(chat([user('q')], { responseFormat: { type: 'schema', schema } })).output_config
  const scores = (schema: object) => ({ type: 'object', properties: { scores: schema }, required: ['scores'] })
  const number = { type: 'number' }
  for (const open of [
    { type: 'object', additionalProperties: number },
    { type: 'object', properties: { a: number }, additionalProperties: number },
    { type: 'object', patternProperties: { '^a': number } },
    { type: 'object' },
    { type: ['object', 'null'] },
    { type: 'object', properties: {}, additionalProperties: true },
    { type: 'object', anyOf: [{ properties: { a: number } }, { minProperties: 1 }] },
    { type: 'object', allOf: [{ required: ['a'] }] },
  ]) {
    const { param, message } = refused(asked(scores(open)))
    assert.is(param, 'response_format')
    assert.match(message, 'properties.scores is an object whose members have no fixed names')
    assert.is(refused(asked(open)).param, 'response_format')
  }
  const deep = { type: 'array', items: { anyOf: [number, { type: 'object' }] } }
  assert.match(refused(asked(scores(deep))).message, 'properties.scores.items.anyOf[1] is')
  for (const named of [
    { type: 'object', properties: {}, additionalProperties: false },
    { type: 'object', properties: { a: number }, additionalProperties: true },
    { enum: [{ additionalProperties: number }] },
  ])
    assert.ok(asked(scores(named))())
})

test('an object may have its names from what it refers to or from its branches, and is not closed beside them', () => {
  const written = (schema: Record<string, unknown>): unknown =>
    encode(chat([user('q')], { responseFormat: { type: 'schema', schema } })).output_config
  const format = (schema: object) => ({ format: { type: 'json_schema', schema } })
  const [a, b] = [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'number' } } }]
  const [onlyA, onlyB] = [a, b].map(one => ({ ...one, additionalProperties: false }))
  const root = { type: 'object', $ref: '#/$defs/a' }
  assert.equal(written({ ...root, $defs: { a } }), format({ ...root, $defs: { a: onlyA } }))
  assert.equal(
    written({ type: 'object', additionalProperties: true, allOf: [a] }),
    format({ type: 'object', allOf: [onlyA] }),
  )
  assert.equal(written({ type: 'object', oneOf: [a, b] }), format({ type: 'object', anyOf: [onlyA, onlyB] }))
  assert.equal(
    written({ type: ['object', 'null'], anyOf: [a, { type: 'null' }] }),
    format({ type: ['object', 'null'], anyOf: [onlyA, { type: 'null' }] }),
  )
  // These branches name none.
  const needed = { ...a, type: 'object', anyOf: [{ required: ['a'] }] }
  assert.equal(written(needed), format({ ...needed, additionalProperties: false }))
  const { param, message } = refused(() => written({ ...root, $defs: { a: { type: 'object' } } }))
  assert.is(param, 'response_format')
  assert.match(message, '$defs.a is an object whose members have no fixed names')
})

test('takes a prefill away from models that refuse it', () => {
  const turns = [user('q'), said('So ')]
  assert.equal(written(turns)[1], { role: 'assistant', content: 'So' })
  assert.equal(encode(chat(turns), { model: 'claude-opus-5' }).messages, [{ role: 'user', content: 'q' }])
})

test('tells the vendor no user id, but always the same pseudonym', () => {
  const id = (name: string) => JSON.stringify(encode(chat([user('q')], { user: name })).metadata)
  assert.is(id('ann@example.org'), id('ann@example.org'))
  assert.is.not(id('ann@example.org'), id('bob@example.org'))
  assert.not.match(id('ann@example.org'), 'ann')
})

// --- answers

const golden = {
  id: 'msg_up',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5',
  content: [
    { type: 'thinking', thinking: 'Two cities.', signature: 'sig' },
    { type: 'redacted_thinking', data: 'red' },
    { type: 'text', text: 'Checking.' },
    { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { q: 1 } },
    { type: 'tool_use', id: 'call_a1', name: 'get_weather', input: { city: 'Oslo' } },
    { type: 'tool_use', id: 'call_b2', name: 'get_weather', input: {} },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: {
    input_tokens: 50,
    cache_creation_input_tokens: 10,
    cache_read_input_tokens: 40,
    output_tokens: 30,
    output_tokens_details: { thinking_tokens: 12 },
  },
}

test('an answer goes through the canonical shape and loses nothing but its id', () => {
  const completion = messages.decodeAnswer(golden)
  assert.equal(completion.usage, { input: 100, output: 30, cacheRead: 40, cacheWrite: 10, reasoning: 12 })
  assert.equal(messages.encodeAnswer(completion, reply), { ...golden, id: 'msg_r1' })
})

test('names what the canonical shape cannot hold of a whole answer', () => {
  const told = (fields: object) => messages.decodeAnswer({ ...golden, ...fields }).unmodelled
  const text = { type: 'text', text: 'a' }
  const call = { type: 'tool_use', id: 'c', name: 'f', input: {} }
  assert.equal(told({ content: [{ ...text, citations: [{ type: 'char_location' }] }] }), ['citations'])
  assert.equal(told({ content: [{ ...call, caller: { type: 'code_execution_20250825' } }] }), ['caller'])
  assert.equal(told({ container: { id: 'x' } }), ['container'])
  assert.equal(told({ context_management: { applied_edits: [{}] } }), ['context_management'])
  assert.is(told({ container: null, context_management: { applied_edits: [] } }), undefined)
  assert.is(
    told({
      content: [
        { ...text, citations: null },
        { ...call, caller: { type: 'direct' } },
      ],
    }),
    undefined,
  )
})

test('maps every stop reason both ways', () => {
  const both: readonly (readonly [string, Completion['stop']])[] = [
    ['end_turn', { reason: 'stop' }],
    ['stop_sequence', { reason: 'stop_sequence', sequence: 'END' }],
    ['max_tokens', { reason: 'length' }],
    ['model_context_window_exceeded', { reason: 'context' }],
    ['refusal', { reason: 'refusal' }],
    ['pause_turn', { reason: 'paused' }],
  ]
  for (const [stop_reason, stop] of both) {
    const body = { ...golden, content: [], stop_reason, stop_sequence: stop.sequence ?? null }
    const completion = messages.decodeAnswer(body)
    assert.equal(completion.stop, stop)
    assert.equal(messages.encodeAnswer(completion, reply), { ...body, id: 'msg_r1' })
  }
  const out = (reason: Completion['stop']['reason']) =>
    messages.encodeAnswer({ ...messages.decodeAnswer({ ...golden, content: [] }), stop: { reason } }, reply).stop_reason
  assert.is(out('filtered'), 'refusal')
  assert.is(out('unknown'), 'end_turn')
  assert.is(out('tool_use'), 'end_turn')
  assert.equal(messages.decodeAnswer({ ...golden, stop_reason: 'compaction' }).stop, { reason: 'unknown' })
})

test('calls mean tool_use whatever the vendor said, unless they were cut off', () => {
  const out = (reason: Completion['stop']['reason']) =>
    messages.encodeAnswer({ ...messages.decodeAnswer(golden), stop: { reason } }, reply).stop_reason
  assert.is(out('stop'), 'tool_use')
  assert.is(out('unknown'), 'tool_use')
  assert.is(out('length'), 'max_tokens')
})

test("skips another format's opaque blocks and shows foreign reasoning without proof", () => {
  const blocks: Completion['blocks'] = [
    { type: 'opaque', format: 'other', value: { type: 'x' } },
    { type: 'reasoning', text: 'hm' },
    { type: 'refusal', text: 'No.' },
  ]
  const body = messages.encodeAnswer({ id: '', model: 'm', created: 0, blocks, stop: { reason: 'stop' } }, reply)
  assert.equal(body.content, [
    { type: 'thinking', thinking: 'hm', signature: '' },
    { type: 'text', text: 'No.' },
  ])
  assert.is(body.stop_reason, 'refusal')
  assert.equal(encodedUsage(body), [0, 2])
})
const encodedUsage = (body: Record<string, unknown>) => {
  const usage = body.usage as Record<string, number>
  return [usage.input_tokens, usage.output_tokens]
}

test('refuses an answer that is none', () => {
  for (const body of [null, {}, { ...golden, content: 'text' }, { ...golden, content: [{ type: 'text' }] }]) {
    assert.throws(
      () => messages.decodeAnswer(body),
      (error: unknown) => error instanceof Error,
    )
  }
})

test('reissues stored bytes with a new id and touches nothing else', () => {
  const bytes = Buffer.from('{ "new": 12345678901234567890, "id":"msg_old","content":[{"id":"x"}] }')
  assert.is(
    Buffer.from(messages.reissue(bytes, reply)).toString(),
    '{ "new": 12345678901234567890, "id":"msg_r1","content":[{"id":"x"}] }',
  )
})

// --- streams

const frame = (event: { type: string } & Record<string, unknown>) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const begin = frame({
  type: 'message_start',
  message: {
    id: 'msg_up',
    model: 'claude-sonnet-5',
    content: [],
    usage: { input_tokens: 50, cache_read_input_tokens: 40, cache_creation_input_tokens: 10, output_tokens: 1 },
  },
})
const block = (index: number, content_block: object, ...deltas: object[]) =>
  frame({ type: 'content_block_start', index, content_block }) +
  deltas.map(delta => frame({ type: 'content_block_delta', index, delta })).join('') +
  frame({ type: 'content_block_stop', index })
const finish = (stop_reason: string, stop_sequence: string | null = null) =>
  frame({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence },
    usage: { output_tokens: 30, output_tokens_details: { thinking_tokens: 12 } },
  }) + frame({ type: 'message_stop' })

const live =
  begin +
  frame({ type: 'ping' }) +
  block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Two ' },
    { type: 'thinking_delta', thinking: 'cities.' },
    { type: 'signature_delta', signature: 'sig' },
  ) +
  block(1, { type: 'redacted_thinking', data: 'red' }) +
  block(
    2,
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'Checking 東京 👩‍👩‍👧 é' },
    { type: 'text_delta', text: '.' },
  ) +
  block(
    3,
    { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} },
    { type: 'input_json_delta', partial_json: '{"q":' },
    { type: 'input_json_delta', partial_json: '1}' },
  ) +
  block(4, { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] }) +
  block(
    5,
    { type: 'tool_use', id: 'call_a1', name: 'get_weather', input: {} },
    { type: 'input_json_delta', partial_json: '' },
    { type: 'input_json_delta', partial_json: '{"city":' },
    { type: 'input_json_delta', partial_json: '"Oslo"}' },
  ) +
  block(6, { type: 'tool_use', id: 'call_b2', name: 'get_weather', input: {} }) +
  finish('tool_use')

test('reads a stream with all kinds of blocks', async () => {
  const completion = assembled(await decoded(messages, chunks(live)))
  assert.equal(completion, {
    id: 'msg_up',
    model: 'claude-sonnet-5',
    created: 0,
    blocks: [
      { type: 'reasoning', text: 'Two cities.', signature: 'sig', origin: 'messages' },
      { type: 'reasoning', text: '', redacted: 'red', origin: 'messages' },
      { type: 'text', text: 'Checking 東京 👩‍👩‍👧 é.' },
      {
        type: 'opaque',
        format: 'messages',
        value: { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { q: 1 } },
      },
      {
        type: 'opaque',
        format: 'messages',
        value: { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] },
      },
      { type: 'tool_call', id: 'call_a1', name: 'get_weather', args: '{"city":"Oslo"}' },
      { type: 'tool_call', id: 'call_b2', name: 'get_weather', args: '{}' },
    ],
    stop: { reason: 'tool_use' },
    usage: { input: 100, output: 30, cacheRead: 40, cacheWrite: 10, reasoning: 12 },
  })
})

test('reads the same wherever the network cuts the bytes', async () => {
  const whole = await decoded(messages, chunks(live))
  const text = Buffer.from(live)
  const cut = async function* (at: number) {
    yield text.subarray(0, at)
    yield text.subarray(at)
  }
  for (let at = 1; at < text.length; at++) assert.equal(await decoded(messages, cut(at)), whole)
  assert.equal(await decoded(messages, chunks(live, 1)), whole)
})

test('a stream that it wrote itself keeps the grammar and says the same', async () => {
  const events = await decoded(messages, chunks(live))
  const text = encoded(messages, events)
  const wire = checkMessagesGrammar(text)
  assert.is(wire[0]?.message?.id, 'msg_r1')
  assert.equal(wire.at(-2)?.delta, { stop_reason: 'tool_use', stop_sequence: null })
  assert.equal(wire.at(-2)?.usage, golden.usage)
  assert.equal(assembled(await decoded(messages, chunks(text))), { ...assembled(events), id: 'msg_r1' })
})

test('replays a whole answer on the ladder of a live one', () => {
  const plain = {
    ...golden,
    content: golden.content.filter(({ type }) => type !== 'server_tool_use' && type !== 'redacted_thinking'),
  }
  const events = checkMessagesGrammar(encoded(messages, replay(messages.decodeAnswer(plain))))
  assert.is(
    messagesLadder(events).join(' · '),
    'message_start · ping · start thinking · thinking_delta · signature_delta · stop · start text · text_delta · stop · ' +
      'start tool_use · input_json_delta · stop · start tool_use · input_json_delta · stop · message_delta · message_stop',
  )
})

test('tells what a stored copy would lose', async () => {
  const cited = block(
    0,
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'a' },
    { type: 'citations_delta', citation: {} },
  )
  const events = await decoded(messages, chunks(begin + cited + frame({ type: 'brand_new' }) + finish('end_turn')))
  assert.equal(
    events.filter(({ type }) => type === 'unmodelled'),
    [
      { type: 'unmodelled', what: 'citations_delta' },
      { type: 'unmodelled', what: 'brand_new' },
    ],
  )
})

test('tells of a container and of citations that begin with their block', async () => {
  const cited = block(0, { type: 'text', text: 'a', citations: [{}] })
  const last = frame({ type: 'message_delta', delta: { stop_reason: 'end_turn', container: { id: 'x' } } })
  const events = await decoded(messages, chunks(begin + cited + last + frame({ type: 'message_stop' })))
  assert.equal(
    events.flatMap(event => (event.type === 'unmodelled' ? [event.what] : [])),
    ['citations', 'container'],
  )
})

test("a host's empty last usage does not undo the first one", async () => {
  const last = frame({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 0, output_tokens: 7 },
  })
  const events = await decoded(messages, chunks(begin + last + frame({ type: 'message_stop' })))
  assert.equal(assembled(events).usage, { input: 100, output: 7, cacheRead: 40, cacheWrite: 10 })
})

test('samplings that usage leaves out, such as a compaction, count with the others, whole and streamed', async () => {
  const iterations = [
    {
      type: 'compaction',
      input_tokens: 100_000,
      cache_read_input_tokens: 60_000,
      cache_creation_input_tokens: 20_000,
      cache_creation: { ephemeral_1h_input_tokens: 5000 },
      output_tokens: 3500,
    },
    { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
  ]
  const told = { input_tokens: 23_000, output_tokens: 1000, iterations }
  const all = {
    input: 203_000,
    output: 4500,
    cacheRead: 60_000,
    cacheWrite: 20_000,
    cacheWriteLong: 5000,
    largestPrompt: 180_000,
  }
  const usageOf = (usage: object) => messages.decodeAnswer({ ...golden, usage }).usage
  assert.equal(usageOf(told), all)
  assert.equal(usageOf({ input_tokens: 0, output_tokens: 0, iterations: [iterations[0]] })?.output, 3500)
  // Rounds of the vendor's own tools are in the usage already.
  const rounds = {
    input_tokens: 9,
    output_tokens: 7,
    iterations: [
      { input_tokens: 4, output_tokens: 5 },
      { input_tokens: 5, output_tokens: 2 },
    ],
  }
  assert.equal(usageOf(rounds), { input: 9, output: 7 })
  for (const odd of [null, [], 'x', [null], [{ type: 'message' }]])
    assert.equal(usageOf({ input_tokens: 9, output_tokens: 7, iterations: odd }), { input: 9, output: 7 })

  const message = { ...golden, content: [], usage: { input_tokens: 23_000, output_tokens: 1, iterations: null } }
  const last = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1000, iterations } }
  const stream = [{ type: 'message_start', message }, last, { type: 'message_stop' }].map(frame).join('')
  assert.equal(assembled(await decoded(messages, chunks(stream))).usage, all)
})

const fails = async (text: string): Promise<Error> => {
  try {
    await decoded(messages, chunks(text))
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing failed')
}

test("passes on the vendor's word for its failure", async () => {
  const error = await fails(
    begin + frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  )
  assert.instance(error, StreamFault)
  assert.is((error as StreamFault).type, 'overloaded_error')
  assert.match(error.message, 'Overloaded')
})

test('takes no stream for whole that is not', async () => {
  const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'a' })
  assert.match((await fails(begin + text)).message, 'message_stop')
  assert.match((await fails(text)).message, 'message_start')
  assert.match((await fails('')).message, 'message_stop')
  const orphan = frame({ type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'a' } })
  assert.match((await fails(begin + orphan)).message, 'no open block')
})

const start: AnswerEvent = { type: 'start', id: 'x', model: 'm', created: 0 }
const end: AnswerEvent = { type: 'end' }

test('keeps interleaved calls apart, each whole', async () => {
  const events: AnswerEvent[] = [
    start,
    { type: 'text', text: 'Hm' },
    { type: 'tool_call', index: 0, id: 'a', name: 'f' },
    { type: 'tool_call', index: 1, id: 'b', name: 'g' },
    { type: 'tool_args', index: 1, text: '{"y":' },
    { type: 'tool_args', index: 0, text: '{"x":{' },
    { type: 'tool_args', index: 1, text: '2}' },
    { type: 'tool_call', index: 2, id: 'c', name: 'h' },
    { type: 'tool_args', index: 0, text: '}}' },
    { type: 'stop', stop: { reason: 'stop' } },
    end,
  ]
  const text = encoded(messages, events)
  assert.is(checkMessagesGrammar(text).at(-2)?.delta?.stop_reason, 'tool_use')
  assert.equal(assembled(await decoded(messages, chunks(text))).blocks, [
    { type: 'text', text: 'Hm' },
    { type: 'tool_call', id: 'a', name: 'f', args: '{"x":{}}' },
    { type: 'tool_call', id: 'b', name: 'g', args: '{"y":2}' },
    { type: 'tool_call', id: 'c', name: 'h', args: '{}' },
  ])
})

test('a call goes out piece by piece while it is the only one', () => {
  const encoder = messages.streamEncoder(hello, reply)
  encoder.push(start)
  assert.match(encoder.push({ type: 'tool_call', index: 0, id: 'a', name: 'f' }), '"tool_use"')
  assert.match(encoder.push({ type: 'tool_args', index: 0, text: '{"x":1' }), '"partial_json":"{\\"x\\":1"')
  assert.match(encoder.push({ type: 'tool_args', index: 0, text: '}' }), 'input_json_delta')
  assert.match(
    encoder.push({ type: 'tool_call', index: 1, id: 'b', name: 'f' }),
    /content_block_stop[\s\S]*content_block_start/,
  )
})

test('brackets and quotes inside strings do not end a call too early', async () => {
  const args = '{"a":"}\\"}{","b":[{"c":"\\\\"}],"d":"👩‍👩‍👧}"}'
  JSON.parse(args)
  const events: AnswerEvent[] = [start, { type: 'tool_call', index: 0, id: 'a', name: 'f' }]
  const [first = '', ...rest] = args
  events.push({ type: 'tool_args', index: 0, text: first }, { type: 'tool_call', index: 1, id: 'b', name: 'g' })
  for (const text of rest) events.push({ type: 'tool_args', index: 0, text })
  events.push({ type: 'tool_args', index: 1, text: '{}' }, end)
  const text = encoded(messages, events)
  checkMessagesGrammar(text)
  assert.equal(assembled(await decoded(messages, chunks(text))).blocks, [
    { type: 'tool_call', id: 'a', name: 'f', args },
    { type: 'tool_call', id: 'b', name: 'g', args: '{}' },
  ])
})

test('any order of events keeps the grammar and the order inside each block', () => {
  const piece = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: fc.constantFrom('', 'a', 'b ') }),
    fc.record({ type: fc.constant('reasoning' as const), text: fc.constantFrom('', 'r') }),
    fc.constant<AnswerEvent>({ type: 'signature', signature: 's' }),
    fc.constant<AnswerEvent>({ type: 'signature', redacted: 'd' }),
    fc.constant<AnswerEvent>({
      type: 'opaque',
      format: 'messages',
      value: { type: 'server_tool_use', input: { q: 1 } },
    }),
    fc.constant<AnswerEvent>({ type: 'opaque', format: 'other', value: {} }),
    fc.record({
      type: fc.constant('tool_args' as const),
      index: fc.nat(2),
      text: fc.constantFrom('{', '}', '{}', '"k":1', ''),
    }),
    fc.nat(2).map((index): AnswerEvent => ({ type: 'tool_call', index, id: `c${index}`, name: 'f' })),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), events => {
      const seen = new Set<number>()
      const legal = events.filter(event => {
        if (event.type === 'tool_args') return seen.has(event.index)
        if (event.type !== 'tool_call') return true
        return !seen.has(event.index) && seen.add(event.index)
      })
      checkMessagesGrammar(encoded(messages, [start, ...legal, end]))
    }),
    { numRuns: 500 },
  )
})

test('arguments that are no object are said as one, in streams as in whole answers', () => {
  const told = (kind: 'custom' | undefined, ...pieces: readonly string[]): unknown => {
    const call = { type: 'tool_call' as const, id: 'c', name: 'f', ...(kind && { kind }) }
    const later = { type: 'tool_call' as const, id: 'd', name: 'g' }
    const stop = { reason: 'tool_use' as const }
    const streamed = encoded(messages, [
      { type: 'start', id: '', model: 'm', created: 0 },
      { ...call, index: 0 },
      ...pieces.map(text => ({ type: 'tool_args' as const, index: 0, text })),
      { ...later, index: 1 },
      { type: 'tool_args', index: 1, text: '{}' },
      { type: 'stop', stop },
      { type: 'end' },
    ])
    const inputs = [0, 1].map(index =>
      streamed
        .split('\n')
        .flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
        .filter(event => event.index === index && event.delta?.type === 'input_json_delta')
        .map(event => event.delta.partial_json)
        .join(''),
    )
    const args = pieces.join('')
    const blocks = [
      { ...call, args },
      { ...later, args: '{}' },
    ]
    const whole = messages.encodeAnswer({ id: '', model: 'm', created: 0, blocks, stop }, reply)
    const parsed = inputs.map(input => JSON.parse(input || '{}'))
    assert.equal(
      parsed,
      (whole.content as { input: unknown }[]).map(({ input }) => input),
    )
    return parsed[0]
  }
  assert.equal(told(undefined, ' ', '[1', ',2]'), { value: [1, 2] })
  assert.equal(told(undefined, 'plain ', 'words'), { _raw: 'plain words' })
  assert.equal(told(undefined, '{"a"', ':1}'), { a: 1 })
  assert.equal(told(undefined), {})
  assert.equal(told('custom', '{"a":1} and ', 'more'), { input: '{"a":1} and more' })
  assert.equal(told('custom'), { input: '' })
})

test('usage that was never told is guessed in whole answers as in streams', () => {
  const blocks = [{ type: 'text' as const, text: 'eight ch' }]
  const completion: Completion = { id: '', model: 'm', created: 0, blocks, stop: { reason: 'stop' } }
  const { usage } = messages.encodeAnswer(completion, reply, hello) as { usage: Record<string, number> }
  assert.is(usage.input_tokens, Math.ceil(hello.bytes.length / 4))
  assert.is(usage.output_tokens, 2)
})

test('an answer without content has one empty block, and usage that was never told is guessed', () => {
  const events = checkMessagesGrammar(encoded(messages, [start, { type: 'stop', stop: { reason: 'stop' } }, end]))
  assert.is(messagesLadder(events).join(' '), 'message_start ping start text stop message_delta message_stop')
  const spoken = checkMessagesGrammar(encoded(messages, [start, { type: 'text', text: 'eight ch' }, end]))
  assert.is(spoken.at(-2)?.usage?.output_tokens, 2)
  assert.match(JSON.stringify(spoken[0]?.message?.usage), /"input_tokens":[1-9]/)
})

test('the official library reads what is written, streamed and whole', async () => {
  const completion = messages.decodeAnswer(golden)
  const bodies = {
    'text/event-stream': encoded(messages, replay(completion)),
    'application/json': JSON.stringify(messages.encodeAnswer(completion, reply)),
  }
  const ask = { model: 'claude-opus-5', max_tokens: 9, messages: [{ role: 'user' as const, content: 'q' }] }
  const client = (type: keyof typeof bodies) =>
    new Anthropic({
      apiKey: 'any',
      maxRetries: 0,
      fetch: async () => new Response(bodies[type], { headers: { 'content-type': type } }),
    }).messages
  const streamed = await client('text/event-stream').stream(ask).finalMessage()
  const whole = await client('application/json').create(ask)
  assert.equal(JSON.parse(JSON.stringify(streamed.content)), golden.content)
  assert.equal(whole.content, golden.content)
  assert.is(streamed.stop_reason, 'tool_use')
  assert.is(streamed.usage.output_tokens, 30)
  assert.is(streamed.usage.input_tokens, 50)
})

test('passes a frame of its own kind as it came', () => {
  assert.is(
    messages.passFrame({ events: [], wire: ': odd\nevent:x\ndata:{}\n\n' }, hello),
    ': odd\nevent:x\ndata:{}\n\n',
  )
  assert.match(messages.framing(NO_CALL).keepAlive, /^:.*\n\n$/)
})

// --- errors

test('tells every failure in the words of its clients', () => {
  const type = (error: GatewayError) => (messages.encodeError(error, 'q').error as { type: string }).type
  assert.equal(messages.encodeError(new GatewayError('unauthorized', 'no key'), 'req_1'), {
    type: 'error',
    error: { type: 'authentication_error', message: 'no key' },
    request_id: 'req_1',
  })
  assert.is(type(new GatewayError('bad_request', 'x')), 'invalid_request_error')
  assert.is(type(new GatewayError('forbidden', 'x')), 'permission_error')
  assert.is(type(new GatewayError('not_found', 'x')), 'not_found_error')
  assert.is(type(new GatewayError('too_large', 'x')), 'request_too_large')
  assert.is(type(new GatewayError('quota_blocked', 'x')), 'rate_limit_error')
  assert.is(type(new GatewayError('upstream_timeout', 'x')), 'timeout_error')
  assert.is(type(new GatewayError('offline', 'x')), 'api_error')
  const vendor = (kind: FaultClass) => type(new GatewayError('upstream_failed', 'x', { vendor: { class: kind } }))
  assert.is(vendor('overloaded'), 'overloaded_error')
  assert.is(vendor('not_found'), 'not_found_error')
  assert.is(vendor('invalid_request'), 'invalid_request_error')
  assert.is(vendor('billing'), 'billing_error')
})

test('says that a prompt is too long so that coding agents understand it', () => {
  const error = new GatewayError('vendor_refused', 'over 8192 tokens', {
    vendor: { status: 400, class: 'context_length' },
  })
  assert.match(JSON.stringify(messages.encodeError(error, 'q')), 'prompt is too long: over 8192 tokens')
})

test('what a vendor of this dialect said passes as it is', () => {
  const words = { type: 'thread_error', message: 'no threads', details: { unsupported: ['thread'] } }
  const vendor = { class: 'invalid_request', said: { dialect: 'messages', ...words, requestId: 'req_9' } } as const
  assert.equal(messages.encodeError(new GatewayError('vendor_refused', 'x', { vendor }), 'q'), {
    type: 'error',
    error: words,
    request_id: 'req_9',
  })
})

test('breaks a stream with an error event', () => {
  const text = messages.encodeStreamError(new GatewayError('upstream_failed', 'gone'), 'q')
  assert.is(
    text,
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"gone"},"request_id":"q"}\n\n',
  )
})

test.run()
