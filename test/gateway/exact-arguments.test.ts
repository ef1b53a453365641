import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** The arguments of a tool call are the user's own: no translation rounds a number in them. */

const NUMBER = '12345678901234567890'
const ARGS = `{"id":${NUMBER},"list":[{"n":-${NUMBER}}]}`

const vendors = {
  openai: `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":${JSON.stringify(ARGS)}}}]}}]}`,
  anthropic: `{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"find","input":${ARGS}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
  gemini: `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"name":"find","args":${ARGS}}}]},"finishReason":"STOP"}],"modelVersion":"m","responseId":"r1"}`,
}

const chatArgs = JSON.stringify(ARGS)
const clients = {
  '/v1/chat/completions': `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c0","type":"function","function":{"name":"find","arguments":${chatArgs}}}]},{"role":"tool","tool_call_id":"c0","content":"one"}]}`,
  '/v1/messages': `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c0","name":"find","input":${ARGS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c0","content":"one"}]}]}`,
  '/v1beta/models/m:generateContent': `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"find","args":${ARGS}}}]},{"role":"user","parts":[{"functionResponse":{"name":"find","response":{"output":"one"}}}]}]}`,
}

for (const [provider, answer] of Object.entries(vendors)) {
  test(`every digit passes a vendor of ${provider}, there and back`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider })
    try {
      for (const [path, body] of Object.entries(clients)) {
        upstream.clear()
        upstream.script({ raw: answer })
        const { text, status } = await gateway.send(path, body)
        assert.is(status, 200, text)
        const sent = String(upstream.calls[0]?.raw)
        for (const one of [sent, text]) {
          const plain = one.replaceAll('\\', '')
          assert.ok(plain.includes(`"id":${NUMBER},`), `${path}: ${one}`)
          assert.ok(plain.includes(`"n":-${NUMBER}}`), `${path}: ${one}`)
        }
      }
    } finally {
      await gateway.close()
      await upstream.close()
    }
  })
}

test.run()
