import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { AGENTS } from '../../../plugins/formats/agents/all.ts'
import { clientIdentity, IDENTITIES } from '../../../plugins/formats/client-identity.ts'
import { type ExchangeFacts, TestExchange } from '../../contracts/host.ts'

const from = (headers: NonNullable<ExchangeFacts['headers']>, facts: ExchangeFacts = {}) =>
  clientIdentity(new TestExchange({ ...facts, headers }))
const toolOf = (userAgent: string): string => from({ 'user-agent': userAgent }).tool

test('the tool is what the user agent says, in its own words', () => {
  for (const [userAgent, tool] of [
    ['claude-cli/2.1.329 (external, sdk-cli)', 'claude-code'],
    ['claude-code/2.1.329', 'claude-code'],
    ['GitHubCopilotChat/0.30.1', 'copilot'],
    ['Cursor/1.7.2', 'cursor'],
    ['codex_exec/0.169.0 (Debian 12.0.0; x86_64)', 'codex'],
    ['codex-tui/0.169.0', 'codex'],
    ['GeminiCLI-tui/0.61.0/gemini-3 (linux; x64; terminal)', 'gemini-cli'],
    ['openclaw/2026.1', 'openclaw'],
    ['opencode/1.18.33 ai-sdk/provider-utils/4.0 runtime/bun/1.4', 'opencode'],
    ['QwenCode/0.24.4 (linux; x64)', 'qwen-code'],
    ['Windsurf/1.9', 'windsurf'],
    ['Zed/0.210.1', 'zed'],
    ['Cline/3.36.0', 'cline'],
    ['RooCode/3.28.0', 'roo-code'],
    ['Kilo-Code/7.7.7 vscode', 'kilo'],
    ['aider/0.86.1', 'aider'],
    ['continue/1.3', 'continue'],
    ['curl/8.14.1', 'curl'],
    ['HTTPie/3.2.4', 'httpie'],
    ['OpenAI/JS 5.20.1', 'unknown'],
    ['node', 'unknown'],
    ['discontinued/1.0 normalized codexes', 'unknown'],
    [`${'x'.repeat(10_000)} curl/8`, 'unknown'],
  ] as const)
    assert.is(toolOf(userAgent), tool, userAgent)
  assert.is(from({}).tool, 'unknown')
})

test('an agent that calls through a library is known by its other headers', () => {
  assert.is(from({ 'user-agent': 'OpenAI/JS 5.20.1', 'x-initiator': 'user' }).tool, 'copilot')
  for (const { name } of AGENTS) assert.ok(IDENTITIES.tool.includes(name), name)
})

test('an editor is known by its headers where it speaks chat completions, and nowhere else', () => {
  const cursor = { 'x-cursor-checksum': 'abc', 'user-agent': 'connect-es/1.6.1' }
  assert.is(from(cursor, { dialect: 'chat-completions' }).client, 'cursor')
  assert.is(from({ 'x-kiro-client-id': '1' }, { dialect: 'chat-completions' }).client, 'kiro')
  assert.is(from(cursor, { dialect: 'messages' }).client, 'direct')
})

test('the client is the application, and of a script the script', () => {
  assert.is(from({ 'user-agent': 'claude-cli/2.1' }).client, 'claude-code')
  assert.is(from({ 'user-agent': 'curl/8.14' }).client, 'direct')
  assert.is(from({ 'user-agent': 'my-script' }).client, 'direct')
})

test('a proxied call names the client that the proxy was started for', () => {
  const call = { method: 'POST', path: '/v1/chat/completions', query: new URLSearchParams(), remote: '' }
  const proxied = from({}, { call: { ...call, proxied: 'copilot' } })
  assert.equal([proxied.trafficSurface, proxied.client], ['proxy', 'copilot'])
  assert.is(from({}, { call: { ...call, proxied: 'a-name-of-mine' } }).client, 'other')
  assert.is(from({}, { call }).trafficSurface, 'gateway')
})

test('the family is that of the dialect, known before the body is read', () => {
  const familyOf = (dialect: string) => from({}, { dialect, prompt: null }).endpointFamily
  assert.equal(
    ['native', 'chat-completions', 'responses', 'embeddings', 'messages', 'generate-content', 'plain'].map(familyOf),
    ['native', 'openai', 'openai', 'openai', 'anthropic', 'gemini', 'other'],
  )
})

test('the identity of an exchange is worked out once', () => {
  const exchange = new TestExchange({ headers: { 'user-agent': 'curl/8' }, dialect: 'native' })
  assert.is(clientIdentity(exchange), clientIdentity(exchange))
})

test('no field has a value beside those of the table', () => {
  const agents = ['curl/8', 'claude-cli/2', 'HTTPie/3', 'x', 'Kilo-Code/7', 'zed/1']
  for (const agent of agents)
    for (const dialect of ['native', 'messages', 'strange'])
      for (const [field, value] of Object.entries(from({ 'user-agent': agent }, { dialect })))
        assert.ok(IDENTITIES[field as keyof typeof IDENTITIES].includes(value), `${field}: ${value}`)
})

test.run()
