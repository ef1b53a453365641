import { chatCompletions } from 'deflector/formats/chat-completions'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { promptOf } from '../../../../core/chat/prompt.ts'
import { requestAttributes } from '../../../../plugins/observers/telemetry/generation-attributes.ts'
import { toolAttributes } from '../../../../plugins/observers/telemetry/tool-attributes.ts'
import { TestExchange } from '../../../contracts/exchange.ts'

const stopsOf = (stop: readonly string[]): unknown => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], stop, seed: 7 }
  const prompt = promptOf(chatCompletions, Buffer.from(JSON.stringify(body)), body)
  const attributes = requestAttributes(new TestExchange({ prompt }))
  assert.is(attributes['gen_ai.request.seed'], 7)
  return attributes['gen_ai.request.stop_sequences']
}

test('short stop sequences are told, and text that could be a prompt is not', () => {
  assert.equal(stopsOf(['END', 'x'.repeat(64)]), ['END', 'x'.repeat(64)])
  assert.is(stopsOf(['END', 'x'.repeat(65)]), undefined)
  assert.is(stopsOf(Array.from({ length: 17 }, (_, at) => `word ${at}`)), undefined)
})

test('what an MCP client made up is cut', () => {
  const text = 'x'.repeat(1000)
  const trace = { gateway: 'g', requestId: 'r', method: 'tools/call', memos: {} } as const
  const attributes = toolAttributes({ ...trace, messageId: text, protocolVersion: text, sessionId: text })
  for (const [name, value] of Object.entries(attributes)) assert.ok(String(value ?? '').length <= 64, name)
  assert.is(toolAttributes({ ...trace, messageId: '17' })['jsonrpc.request.id'], '17')
})

test.run()
