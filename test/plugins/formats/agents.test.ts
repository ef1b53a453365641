import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { agentOf, withoutRunFacts } from '../../../plugins/formats/agents/run-facts.ts'

const codex = agentOf({ 'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm', originator: 'codex_exec' })

const second = (chunk: string, wall: string, output: string) => ({
  model: 'm',
  instructions: 'You are Codex.',
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List the files' }] },
    { type: 'function_call', call_id: 'call_1', name: 'exec_command', arguments: '{"cmd":"ls"}' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: `Chunk ID: ${chunk}\nWall time: ${wall} seconds\nProcess exited with code 0\nOutput:\n${output}`,
    },
  ],
})

test("the head that Codex puts over a command's output is left out, the output is not", () => {
  assert.ok(codex)
  const plain = (chunk: string, wall: string, output = 'a.txt') =>
    withoutRunFacts(second(chunk, wall, output), codex).body
  assert.equal(plain('5aac4d', '0.0512'), plain('9f01be', '0.1234'))
  assert.not.equal(plain('5aac4d', '0.0512'), plain('5aac4d', '0.0512', 'b.txt'))
  const log = (chunk: string) => `log:\nChunk ID: ${chunk}\nWall time: 1 seconds\n`
  assert.not.equal(plain('5aac4d', '0.0512', log('aaaaaa')), plain('5aac4d', '0.0512', log('bbbbbb')))
})

test('a user of Codex who writes such a head means it', () => {
  assert.ok(codex)
  const asked = (chunk: string) => ({ input: `Chunk ID: ${chunk}\nWall time: 1.0 seconds\n` })
  assert.equal(withoutRunFacts(asked('5aac4d'), codex), { body: asked('5aac4d'), removed: [] })
})

test('a body in which nothing is left out is the very same, and never changes', () => {
  assert.ok(codex)
  const body = Object.freeze({ model: 'm', input: Object.freeze([Object.freeze({ role: 'user', content: 'Hi' })]) })
  assert.is(withoutRunFacts(body, codex).body, body)
  const changed = second('5aac4d', '0.1', 'a')
  const before = structuredClone(changed)
  assert.not.equal(withoutRunFacts(changed, codex).body, before)
  assert.equal(changed, before)
})

test('agents are told apart by what they say of themselves', () => {
  const name = (headers: Record<string, string>) => agentOf(headers)?.name
  assert.is(name({ 'user-agent': 'OpenAI/JS 5.20.1' }), undefined)
  assert.is(name({ 'user-agent': 'OpenAI/JS 5.20.1', 'x-initiator': 'agent' }), 'copilot')
  assert.is(name({ 'user-agent': 'GeminiCLI-tui/0.61.0/m (linux; x64; terminal)' }), 'gemini-cli')
  assert.is(name({ 'user-agent': 'claude-cli/2.1.329 (external, sdk-cli)' }), 'claude-code')
  assert.is(name({ 'user-agent': 'my-opencode/1' }), undefined)
  assert.is(name({}), undefined)
})

test.run()
