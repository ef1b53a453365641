import { type Attempt, type ChatFormat, type Prompt, promptOf } from 'deflector'
import { contextSavings } from 'deflector/facets/context-savings'
import { health } from 'deflector/facets/health'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import optimiser from '../../../../plugins/layers/optimiser/index.ts'
import { type ExchangeFacts, TestExchange, type TestHost, testHost } from '../../../contracts/host.ts'
import { checkLayer } from '../../../contracts/layer.ts'

checkLayer(optimiser, { passesOn: () => new TestExchange() })

const promptFor = (format: ChatFormat, body: object): Prompt => {
  const bytes = Buffer.from(JSON.stringify(body, null, 1))
  return promptOf(format, bytes, JSON.parse(bytes.toString()))
}
const chat = (...said: [role: string, content: unknown][]): Prompt =>
  promptFor(chatCompletions, { model: 'm', messages: said.map(([role, content]) => ({ role, content })) })

const applied = async (
  options: object = {},
  given: Parameters<typeof testHost>[1] = {},
): Promise<TestHost<'layer'>> => {
  const host = testHost('layer', given)
  host.apply(optimiser, options)
  await host.start()
  return host
}

async function sent(host: TestHost<'layer'>, prompt: Prompt, facts: ExchangeFacts = {}): Promise<TestExchange> {
  const exchange = new TestExchange({ ...facts, prompt })
  assert.is(await host.call.answer(exchange), undefined)
  return exchange
}
const attempt = { provider: 'main', model: 'm', operation: 'chat', stream: false } as Attempt
const ANSWERED = { outcome: 'answered', error: undefined, status: 200, firstTokenMs: 1, ms: 1 } as const
const text = ({ bytes }: Pick<Prompt, 'bytes'>): string => Buffer.from(bytes).toString()

test('every byte outside of the changed texts stays, and so do the body and the prompt', async () => {
  const prompt = chat(['system', '- Be brief.\n\n\n\n<!-- nobody reads this -->'], ['user', 'hi\n\n\n\n<!-- x -->'])
  const before = text(prompt)
  const host = await applied()
  const exchange = await sent(host, prompt)
  const { outgoing, replyHeaders } = exchange
  assert.is(text(prompt), before)
  assert.is(text(outgoing), before.replace(String.raw`\n\n\n\n<!-- nobody reads this -->`, String.raw`\n`))
  assert.equal(outgoing.body, JSON.parse(text(outgoing)))
  assert.is(replyHeaders['x-service-context-optimized'], undefined, 'no vendor was asked')
  await host.call.attempt(exchange, attempt)
  assert.is(replyHeaders['x-service-context-optimized'], `bytes_saved=${prompt.bytes.length - outgoing.bytes.length}`)
})

test('a pointer that would be longer than the result does not take its place', async () => {
  const host = await applied({ tool_results: true })
  const listing = 'export const a = 1\n'.repeat(25)
  const prompts = ['c1', `c1${'x'.repeat(500)}`].map(id =>
    promptFor(chatCompletions, {
      model: 'm',
      messages: [id, 'c2'].map(call => ({ role: 'tool', tool_call_id: call, content: listing })),
    }),
  )
  const [short, long] = await Promise.all(prompts.map((prompt, session) => sent(host, prompt, { session })))
  assert.ok(short && cut(short))
  assert.is(long?.outgoing, prompts[1])
})

test('of very many texts the first ones change, and what is parsed of the body is what its bytes say', async () => {
  const host = await applied()
  const said = Array.from({ length: 10_000 }, (_, at): [string, unknown] => [
    'system',
    `# ${at}\n<!-- a note for people -->`,
  ])
  const { outgoing } = await sent(host, chat(...said))
  assert.equal(outgoing.body, JSON.parse(text(outgoing)))
  const left = text(outgoing).split('people').length - 1
  assert.is(left, 9_500)
})

const cut = ({ prompt, outgoing }: TestExchange): boolean => outgoing.bytes.length < prompt.bytes.length
const SYSTEM = '- Be brief.\n<!-- nobody reads this -->'
const claude = (system: unknown, ...said: unknown[]): Prompt =>
  promptFor(messages, { model: 'm', system, messages: said })
const marked = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })
const user = (content: unknown) => ({ role: 'user', content })

test('what the client has cached stays, and so does what stands before it', async () => {
  const host = await applied()
  const first = { type: 'text', text: SYSTEM }
  assert.is(cut(await sent(host, claude([first, marked('- Be kind.')], user('hi')), { session: 'a' })), false)
  assert.is(cut(await sent(host, claude([first], user([marked('hi')])), { session: 'b' })), false)
  assert.is(cut(await sent(host, claude([marked('- Be kind.'), first], user('hi')), { session: 'c' })), true)
  const all = promptFor(messages, {
    model: 'm',
    system: SYSTEM,
    cache_control: { type: 'ephemeral' },
    messages: [user('hi')],
  })
  assert.is(cut(await sent(host, all, { session: 'd' })), false)
  const byPart = chat(
    ['system', [{ type: 'text', text: SYSTEM, prompt_cache_breakpoint: { mode: 'explicit' } }]],
    ['user', 'hi'],
  )
  assert.is(cut(await sent(host, byPart, { session: 'e' })), false)
})

test('what a session sent it sends again, also where the client marks it later, or no longer', async () => {
  const host = await applied()
  const [early, late] = [claude(SYSTEM, user('hi')), claude(SYSTEM, user([marked('hi')]))]
  const shortened = await sent(host, early, { session: 'a' })
  assert.ok(cut(shortened))
  assert.is((await sent(host, late, { session: 'a' })).outgoing.body.system, shortened.outgoing.body.system)
  for (const prompt of [late, early]) assert.is(cut(await sent(host, prompt, { session: 'b' })), false)
})

test('of very many texts a session remembers each that it changed', async () => {
  const host = await applied()
  const said = Array.from({ length: 2_000 }, (_, at) => ['system', `- Rule ${at}\n${SYSTEM}`] as [string, string])
  const early = await sent(host, chat(...said), { session: 'a' })
  const late = chat(...said, ['user', [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]])
  const { outgoing } = await sent(host, late, { session: 'a' })
  const messagesOf = ({ body }: Pick<Prompt, 'body'>): unknown[] => [body.messages].flat()
  assert.ok(cut(early))
  assert.equal(messagesOf(outgoing).slice(0, 2_000), messagesOf(early.outgoing))
})

test('without an id, what the client marks stays, whatever was sent before, and stays where the mark is gone', async () => {
  const host = await applied()
  assert.ok(cut(await sent(host, claude(SYSTEM, user('hi')))))
  const [late, other] = [claude(SYSTEM, user([marked('hi')])), claude(SYSTEM, user([marked('hello')]))]
  for (const prompt of [late, other]) assert.is(cut(await sent(host, prompt)), false)
  for (const first of ['hi', 'hello']) assert.is(cut(await sent(host, claude(SYSTEM, user(first)))), false)
  assert.ok(cut(await sent(host, claude(SYSTEM, user('good day')))), 'another conversation')
})

test('a conversation without an id goes on as it began: days, proofs of reasoning and a restart change nothing', async () => {
  const thought = { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'c2lnbmVk' }] }
  const turns = [user('hi'), thought, user('go on'), thought, user('and on')]
  const host = await applied()
  const first = await sent(host, claude(SYSTEM, ...turns.slice(0, 1)))
  assert.ok(cut(first))
  for (const length of [1, 3, 5, 5]) {
    host.clock.advance(20 * 3_600_000)
    const next = await sent(host, claude(SYSTEM, ...turns.slice(0, length)))
    assert.is(next.outgoing.body.system, first.outgoing.body.system)
  }
  const restarted = await sent(await applied(), claude(SYSTEM, ...turns))
  assert.is(restarted.outgoing.body.system, first.outgoing.body.system)
})

for (const isNamed of [true, false])
  test(`where a vendor then finds less in its cache, new sessions ${isNamed ? 'with' : 'without'} an id are left alone, and running ones go on`, async () => {
    const host = await applied()
    const turn = async (session: string, cacheRead: number): Promise<TestExchange> => {
      const prompt = claude(SYSTEM, user(isNamed ? 'hi' : session))
      const exchange = await sent(host, prompt, isNamed ? { session } : {})
      const usage = { input: 5_000, output: 5, cacheRead, cacheWrite: 4_000 - cacheRead }
      host.call.attempted(exchange, attempt, { ...ANSWERED, usage })
      return exchange
    }
    assert.is(host.offer(health)?.(), 'active')
    for (let at = 0; at < 25; at++) assert.ok(cut(await turn('a', 0)))
    assert.is(host.offer(health)?.(), 'active', 'it is no illness')
    assert.equal((await turn('b', 0)).notes, ['left_alone'])
    assert.equal((await turn('a', 0)).notes, ['shortened'])
    // What it cost loses its weight, and is tried again.
    host.clock.advance(4 * 3_600_000)
    assert.ok(cut(await turn('c', 0)))
  })

test('what one vendor or model has cached is not looked for at another one', async () => {
  const host = await applied()
  for (let at = 0; at < 50; at++) {
    const exchange = await sent(host, claude(SYSTEM, user('hi')), { session: 'a' })
    const asked = { ...attempt, provider: ['main', 'other'][at % 2], model: `m${at % 4 > 1}` } as Attempt
    host.call.attempted(exchange, asked, {
      ...ANSWERED,
      usage: { input: 9, output: 5, cacheRead: 0, cacheWrite: 4_000 },
    })
  }
  assert.ok(cut(await sent(host, claude(SYSTEM, user('hi')), { session: 'b' })))
})

test('saved is what a vendor answered; a request that never reached one saved nothing', async () => {
  const host = await applied()
  const exchange = await sent(host, claude(SYSTEM, user('hi')))
  const usage = { input: 5_000, output: 5 }
  for (const outcome of ['refused', 'failed', 'cancelled'] as const)
    host.call.attempted(exchange, attempt, { ...ANSWERED, outcome, usage })
  assert.is(host.offer(contextSavings)?.().requests, 0)
  host.call.attempted(exchange, attempt, { ...ANSWERED, usage: undefined })
  const { requests, bytesSaved } = host.offer(contextSavings)?.() ?? {}
  assert.equal(
    { requests, bytesSaved },
    { requests: 1, bytesSaved: exchange.prompt.bytes.length - exchange.outgoing.bytes.length },
  )
})

test('a vendor that loses as much without it is no reason to stop', async () => {
  const host = await applied()
  for (const [session, system] of [
    ['plain', '- Be brief.'],
    ['cut', SYSTEM],
  ] as const)
    for (let at = 0; at < 25; at++) {
      const exchange = await sent(host, claude(system, user('hi')), { session })
      host.call.attempted(exchange, attempt, {
        ...ANSWERED,
        usage: { input: 5_000, output: 5, cacheRead: 0, cacheWrite: 4_000 },
      })
    }
  assert.is(host.offer(health)?.(), 'active')
})

const LONG = `# Rules\n\n${'Never delete a test because it is slow, and say why it is skipped. '.repeat(5)}`

test('across requests a block is said again in full, unless an operator wants otherwise', async () => {
  const prompt = chat(['system', LONG], ['user', 'hi'])
  const byRequest = await applied()
  for (let at = 0; at < 2; at++) assert.is(cut(await sent(byRequest, prompt, { session: 'a' })), false)
  const bySession = await applied({ dedup_scope: 'session' })
  const cuts: boolean[] = []
  for (const session of ['a', 'a', 'a', 'b']) cuts.push(cut(await sent(bySession, prompt, { session })))
  assert.equal(cuts, [false, true, true, false])
  // Nobody knows whether two requests without an id are of one session.
  for (let at = 0; at < 2; at++) assert.is(cut(await sent(bySession, prompt)), false)
})

test('a prompt of a user keeps its comments and repetitions, which it may be about', async () => {
  const rules = '# Task\n\nYou must answer.\n\n- Always be brief.\n- Never guess.\n- Only list.\n'
  const document = 'What is this about <!-- said twice --> if not itself? '.repeat(6)
  const prompt = `${rules}\n\n\nList the comments of this page.\n\n<!-- a note -->\n\n${document}\n\n${document}`
  const exchange = await sent(await applied(), promptFor(native, { prompt }))
  assert.is(exchange.outgoing.body.prompt, prompt.replace('\n\n\n\n', '\n\n'))
})

test('what a vendor forgets with the request is no place to refer to from what it keeps', async () => {
  const input = [
    { role: 'developer', content: LONG },
    { role: 'user', content: 'hi' },
  ]
  const exchange = await sent(await applied(), promptFor(responses, { model: 'm', instructions: LONG, input }))
  assert.is(exchange.outgoing, exchange.prompt)
})

test('results of tools become pointers only where that is wanted', async () => {
  const listing = 'export const a = 1\n'.repeat(40)
  const call = (id: string) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
  })
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: listing })
  const said = [{ role: 'user', content: 'hi' }, call('c1'), result('c1'), call('c2'), result('c2')]
  const prompt = promptFor(chatCompletions, { model: 'm', messages: said })
  assert.is(cut(await sent(await applied(), prompt)), false)
  const { outgoing } = await sent(await applied({ tool_results: true }), prompt)
  assert.match(text(outgoing), `[The same output as that of the earlier call c1 of read, ${listing.length} characters,`)
  assert.is(text(outgoing).split('export const a = 1').length, text(prompt).split('export const a = 1').length - 40)
})

test('marks for the cache are set where the client sets none, four at most', async () => {
  const host = await applied({ breakpoints: true })
  const tools = [
    { name: 'read', input_schema: {} },
    { name: 'write', input_schema: {} },
  ]
  const answer = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] }
  const result = user([{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }])
  const body = { model: 'm', tools, system: 'Be brief.', messages: [user('hi'), answer, result] }
  const { outgoing, replyHeaders } = await sent(host, promptFor(messages, body))
  const mark = { cache_control: { type: 'ephemeral' } }
  assert.equal(JSON.parse(text(outgoing)), {
    model: 'm',
    tools: [tools[0], { ...tools[1], ...mark }],
    system: [{ type: 'text', text: 'Be brief.', ...mark }],
    messages: [
      user([{ type: 'text', text: 'hi', ...mark }]),
      answer,
      user([{ type: 'tool_result', tool_use_id: 't1', content: 'ok', ...mark }]),
    ],
  })
  assert.equal(outgoing.body, JSON.parse(text(outgoing)))
  assert.is(replyHeaders['x-service-context-optimized'], undefined)
  const alone = promptFor(messages, { model: 'm', system: 'Be brief.', messages: [user('hi')] })
  assert.is((await sent(host, alone)).outgoing, alone)
  const own = promptFor(messages, { ...body, system: [marked('Be brief.')] })
  assert.is((await sent(host, own)).outgoing, own)
})

test('turned on in the middle of a session, it changes what is sent once', async () => {
  const turn = (...said: string[]): Prompt =>
    chat(['system', SYSTEM], ...said.map(text => ['user', text] as [string, string]))
  const before = await applied({ enabled: false })
  const first = (await sent(before, turn('one'), { session: 'a' })).outgoing.body.messages
  const on = await applied({}, { kept: before.kept })
  const second = (await sent(on, turn('one', 'two'), { session: 'a' })).outgoing.body.messages
  const reloaded = await applied({}, { kept: on.kept })
  const third = (await sent(reloaded, turn('one', 'two', 'three'), { session: 'a' })).outgoing.body.messages
  assert.not.equal((second as unknown[]).slice(0, 1), (first as unknown[]).slice(0, 1))
  assert.equal((third as unknown[]).slice(0, 3), second)
})

test('a text that cannot be read is sent as it came', async () => {
  const host = await applied()
  const prompt = chat(['system', SYSTEM], ['user', 'hi'])
  const broken = Object.create(prompt, {
    format: {
      value: {
        ...chatCompletions,
        instructions: () => {
          throw new Error('x')
        },
      },
    },
  })
  assert.is((await sent(host, broken)).outgoing, broken)
  assert.equal(
    host.logged.map(({ level }) => level),
    ['warn'],
  )
})

test('disabled, it taps nothing', async () => {
  assert.equal((await applied({ enabled: false })).tapped, [])
})

test('texts that differ in a half of a character stay apart', async () => {
  const host = await applied()
  for (const half of ['\\ud800', '\\ud801', '\ufffd']) {
    const bytes = Buffer.from(`{"messages":[{"role":"system","content":"# ${half}\\n<!-- a note for people -->"}]}`)
    const { outgoing } = await sent(host, promptOf(chatCompletions, bytes, JSON.parse(bytes.toString())))
    assert.is(text(outgoing), `{"messages":[{"role":"system","content":"# ${half}"}]}`)
  }
})

const EPHEMERAL = { cache_control: { type: 'ephemeral' } }

test('what the client has cached stays, wherever it says so', async () => {
  const host = await applied()
  const nested = [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'ok', ...EPHEMERAL }] }]
  const output = [{ type: 'input_text', text: 'ok', prompt_cache_breakpoint: { mode: 'explicit' } }]
  const prompts = [
    claude(SYSTEM, user('hi'), user(nested)),
    promptFor(messages, { model: 'm', system: SYSTEM, messages: [user('hi')], ...EPHEMERAL }),
    promptFor(chatCompletions, { model: 'm', messages: [{ role: 'system', content: SYSTEM }], ...EPHEMERAL }),
    promptFor(responses, {
      model: 'm',
      input: [
        { role: 'developer', content: SYSTEM },
        { type: 'function_call_output', call_id: 'c1', output },
      ],
    }),
  ]
  for (const [at, prompt] of prompts.entries())
    assert.is((await sent(host, prompt, { session: at })).outgoing, prompt, `prompt ${at}`)
})

test('a mark for the cache takes the place of one that the client left empty', async () => {
  const body = {
    model: 'm',
    tools: [{ name: 'read', input_schema: {}, cache_control: null }],
    system: [{ type: 'text', text: 'Be brief.', cache_control: null }],
    messages: [user([{ type: 'text', text: ' ' }])],
  }
  const { outgoing } = await sent(await applied({ breakpoints: true }), promptFor(messages, body))
  assert.is(text(outgoing).split('"cache_control"').length, 3)
  assert.equal(JSON.parse(text(outgoing)), {
    ...body,
    tools: [{ ...body.tools[0], ...EPHEMERAL }],
    system: [{ ...body.system[0], ...EPHEMERAL }],
  })
  assert.equal(outgoing.body, JSON.parse(text(outgoing)))
})

test('where the vendor clears or sums up turns, none is a place to refer to', async () => {
  const listing = 'export const a = 1\n'.repeat(40)
  const turns = (id: string) => [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: {} }] },
    user([{ type: 'tool_result', tool_use_id: id, content: listing }]),
    { role: 'system', content: LONG },
  ]
  const body = { model: 'm', messages: [user('hi'), ...turns('t1'), ...turns('t2')] }
  const host = await applied({ tool_results: true })
  const clearing = (type: string): Prompt => promptFor(messages, { ...body, context_management: { edits: [{ type }] } })
  assert.match(text((await sent(host, clearing('clear_thinking_20251015'))).outgoing), 'same output')
  const cleared = clearing('clear_tool_uses_20250919')
  assert.is((await sent(host, cleared, { session: 'a' })).outgoing, cleared)
  const openrouter = {
    model: 'm',
    messages: [{ role: 'system', content: LONG }, user('hi'), { role: 'system', content: LONG }],
  }
  assert.ok(cut(await sent(host, promptFor(chatCompletions, openrouter), { session: 'b' })))
  const squeezed = promptFor(chatCompletions, { ...openrouter, transforms: ['middle-out'] })
  assert.is((await sent(host, squeezed, { session: 'c' })).outgoing, squeezed)
})

test('what a vendor may drop from a long input is no place to refer to', async () => {
  const rules = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: LONG }] }
  const input = [rules, { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }, rules]
  const host = await applied()
  assert.ok(cut(await sent(host, promptFor(responses, { model: 'm', input }))))
  assert.not.ok(cut(await sent(host, promptFor(responses, { model: 'm', input, truncation: 'auto' }))))
})

test.run()
