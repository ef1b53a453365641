import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** What one run of an agent sends, told by its number: other runs differ in what the agent itself writes. */
interface Agent {
  readonly name: string
  readonly path: string
  readonly provider?: string
  headers(run: number): Record<string, string>
  /** `said` is what its user wrote. */
  body(run: number, said: string): object
  /** Do two runs hit without the setting? Their bodies then differ in nothing that counts. */
  readonly always?: boolean
}

const time = (run: number): string => `2026-11-21T03:50:${String(run).padStart(2, '0')}`
const uuid = (run: number): string => `0a1b2c3d-0000-4000-8000-00000000000${run}`
const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object', properties: {} } } }]
const chat = (system: string, user: unknown) => ({
  model: 'm-1',
  stream: true,
  stream_options: { include_usage: true },
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ],
  tools,
})

/** A second turn: the call's id is another one in each run. */
const withResult = (body: ReturnType<typeof chat>, id: string) => ({
  ...body,
  messages: [
    ...body.messages,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: 'file' },
  ],
})

const AGENTS: readonly Agent[] = [
  {
    name: 'OpenCode',
    path: '/v1/chat/completions',
    headers: run => ({
      'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0 runtime/bun/1.3',
      'x-session-id': `ses_${run}`,
      'x-session-affinity': `ses_${run}`,
    }),
    body: (_, said) => chat('You are OpenCode.', said),
  },
  {
    name: 'Kilo',
    path: '/v1/chat/completions',
    headers: run => ({ 'user-agent': 'Kilo-Code/7.7.7 cli', 'x-title': 'Kilo Code', 'x-session-id': `ses_${run}` }),
    body: (run, said) => chat('You are Kilo.', `${said}\n\nMessage time: ${time(run)}Z`),
  },
  {
    name: 'Kilo, the time in a part of its own',
    path: '/v1/chat/completions',
    headers: run => ({ 'user-agent': 'Kilo-Code/7.7.7 cli', 'x-session-id': `ses_${run}` }),
    body: (run, said) =>
      chat('You are Kilo.', [
        { type: 'text', text: said },
        { type: 'text', text: `Message time: ${time(run)}Z` },
      ]),
  },
  {
    name: 'Copilot CLI',
    path: '/v1/chat/completions',
    headers: () => ({
      'user-agent': 'OpenAI/JS 5.20.1',
      'x-initiator': 'user',
      'x-interaction-type': 'conversation-user',
    }),
    body: (run, said) =>
      chat(
        `You are Copilot.\n* Session folder: /home/u/.copilot/session-state/${uuid(run)}\n* More`,
        `<current_datetime>${time(run)}.74${run}Z</current_datetime>\n\n${said}`,
      ),
  },
  {
    name: 'Copilot CLI on messages',
    path: '/v1/messages',
    provider: 'anthropic',
    headers: () => ({ 'user-agent': 'Anthropic/JS 0.94.0', 'x-initiator': 'agent' }),
    body: (run, said) => ({
      model: 'm-1',
      max_tokens: 9,
      stream: true,
      system: [{ type: 'text', text: `Session folder: /home/u/.copilot/session-state/${uuid(run)}` }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: `<current_datetime>${time(run)}.1Z</current_datetime>\n\n${said}` }],
        },
      ],
    }),
  },
  {
    name: 'Claude Code',
    path: '/v1/messages?beta=true',
    provider: 'anthropic',
    always: true,
    headers: run => ({
      'user-agent': 'claude-cli/2.1.329 (external, sdk-cli)',
      'x-app': 'cli',
      'x-claude-code-session-id': uuid(run),
    }),
    body: (run, said) => ({
      model: 'm-1',
      max_tokens: 9,
      stream: true,
      system: [
        { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1.329.b${run}c; cc_entrypoint=sdk-cli;` },
        { type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } },
      ],
      messages: [{ role: 'user', content: said }],
      metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: '', session_id: uuid(run) }) },
    }),
  },
  {
    name: 'Qwen Code',
    path: '/v1/chat/completions',
    always: true,
    headers: () => ({ 'user-agent': 'QwenCode/0.24.4 (linux; x64)' }),
    body: (run, said) => withResult(chat('You are Qwen.', said), `call_${run}`),
  },
]

async function opened({ provider }: Agent, on: boolean): Promise<{ gateway: TestGateway; upstream: Upstream }> {
  const upstream = await startUpstream()
  const settings = on ? { SERVICE__CACHE_NORMALIZE_AGENTS: 'true' } : {}
  return { upstream, gateway: await startGateway({ upstream, settings, ...(provider && { provider }) }) }
}

const FRANCE = 'What is the capital of France?'

for (const agent of AGENTS) {
  const { name, path, headers, body, always = false } = agent
  const sent = async ({ send }: TestGateway, run: number, said = FRANCE): Promise<string | null> => {
    const reply = await send(path, JSON.stringify(body(run, said)), headers(run))
    assert.is(reply.status, 200, reply.text)
    return reply.headers.get('x-service-layer')
  }

  test(`two runs of ${name} are one with cache_normalize_agents, and what is forwarded stays as it is`, async () => {
    const { gateway, upstream } = await opened(agent, true)
    assert.equal([await sent(gateway, 1), await sent(gateway, 2)], ['l3', 'l1a'])
    assert.is(await sent(gateway, 2, 'What is the capital of Spain?'), 'l3', 'another question counts')
    assert.equal(upstream.calls[0]?.body, body(1, FRANCE))
  })

  test(`without it two runs of ${name} are ${always ? 'one too' : 'two'}`, async () => {
    const { gateway } = await opened(agent, false)
    assert.equal([await sent(gateway, 1), await sent(gateway, 2)], ['l3', always ? 'l1a' : 'l3'])
  })
}

const [opencode, kilo, , copilot] = AGENTS as [Agent, Agent, Agent, Agent]
const layers = async (
  { send }: TestGateway,
  requests: readonly (readonly [body: object, headers: Record<string, string>])[],
): Promise<(string | null)[]> => {
  const found: (string | null)[] = []
  for (const [body, headers] of requests)
    found.push((await send('/v1/chat/completions', JSON.stringify(body), headers)).headers.get('x-service-layer'))
  return found
}

test('what a user writes counts, however much it looks like the words of the agent', async () => {
  const { gateway } = await opened(kilo, true)
  const inside = (run: number) => chat('You are Kilo.', `Why does the log say "Message time: ${time(run)}Z" twice?`)
  const middle = (run: number) => chat('You are Kilo.', `Explain\nMessage time: ${time(run)}Z\nof this log`)
  const tagged = (run: number) =>
    chat('You are Copilot.', `Parse <current_datetime>${time(run)}.1Z</current_datetime> for me`)
  const folder = (run: number) =>
    chat('You are Copilot.', `Session folder: /home/u/.copilot/session-state/${uuid(run)}`)
  const asKilo = { 'user-agent': 'Kilo-Code/7.7.7' }
  for (const [body, headers] of [
    [inside, asKilo],
    [middle, asKilo],
    [tagged, copilot.headers(1)],
    [folder, copilot.headers(1)],
  ] as const)
    assert.equal(
      await layers(gateway, [
        [body(1), headers],
        [body(2), headers],
        [body(1), headers],
      ]),
      ['l3', 'l3', 'l1a'],
    )
})

test('another day counts, and so does the wrapper of an agent that the request is not from', async () => {
  const { gateway } = await opened(kilo, true)
  const on = (day: string) => chat('You are Kilo.', `Which day is it?\n\nMessage time: ${day}T03:50:05Z`)
  const headers = kilo.headers(1)
  assert.equal(
    await layers(gateway, [
      [on('2026-11-21'), headers],
      [on('2026-11-22'), headers],
    ]),
    ['l3', 'l3'],
  )
  const other = { 'user-agent': 'curl/8.5.0' }
  const [first, second] = [kilo.body(1, 'Hi'), kilo.body(2, 'Hi')]
  assert.equal(
    await layers(gateway, [
      [first, other],
      [second, other],
    ]),
    ['l3', 'l3'],
  )
})

test('a session of another header than the agent sets for each run still parts entries', async () => {
  const { gateway } = await opened(opencode, true)
  const headers = (session: string) => ({ ...opencode.headers(1), 'x-service-session-id': session })
  const body = opencode.body(1, 'Hi')
  assert.equal(
    await layers(gateway, [
      [body, headers('a')],
      [body, headers('b')],
      [body, headers('a')],
    ]),
    ['l3', 'l3', 'l1a'],
  )
  const sessions = (id: string) => ({ 'user-agent': 'my-app/1', 'x-session-id': id })
  assert.equal(
    await layers(gateway, [
      [body, sessions('a')],
      [body, sessions('b')],
    ]),
    ['l3', 'l3'],
  )
})

test('an answer that repeats the time or id of its run is not kept for the next', async () => {
  const { gateway, upstream } = await opened(copilot, true)
  upstream.script({ text: `I write to /home/u/.copilot/session-state/${uuid(1)}/plan.md` })
  const bodies = [1, 2].map(run => [copilot.body(run, 'Make a plan'), copilot.headers(run)] as const)
  assert.equal(await layers(gateway, bodies), ['l3', 'l3'])
})

test.run()
