import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** Arguments and schemas of tools are the user's own: no translation spells a number in them anew. */

const ARGS = '{"id":12345678901234567890,"list":[{"n":-12345678901234567890}],"rate":1.0,"far":1e400,"none":-0.50}'
const SCHEMA =
  '{"type":"object","properties":{"id":{"type":"integer","minimum":1.0,"maximum":9223372036854775807},"rate":{"type":"number","default":0.10}}}'
const IN_SCHEMA = ['"minimum":1.0', '"maximum":9223372036854775807', '"default":0.10']

const text = JSON.stringify(ARGS)
const gemini = `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"name":"find","args":${ARGS}}}]},"finishReason":"STOP"}],"modelVersion":"m","responseId":"r1"}`
const chatCall = `{"index":0,"id":"c1","type":"function","function":{"name":"find","arguments":${text}}}`
const toolUse = `{"type":"tool_use","id":"c1","name":"find","input":${ARGS}}`
const responseCall = `{"id":"fc_1","type":"function_call","status":"completed","call_id":"c1","name":"find","arguments":${text}}`
const response = `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[${responseCall}]}`
const start = '"type":"message","role":"assistant","model":"m"'

/** Each answer whole, and the events that say the same. */
const vendors = {
  openai: {
    whole: `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[${chatCall}]}}]}`,
    events: [
      `data: {"id":"x","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[${chatCall.replace(text, ARGS)}]}}]}`,
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
      'data: [DONE]',
    ],
  },
  anthropic: {
    whole: `{"id":"m1",${start},"content":[${toolUse}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
    events: [
      `event: message_start\ndata: {"type":"message_start","message":{"id":"m1",${start},"content":[]}}`,
      `event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":${toolUse}}`,
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
      'event: message_stop\ndata: {"type":"message_stop"}',
    ],
  },
  gemini: { whole: gemini, events: [`data: ${gemini}`] },
  'openai-responses': {
    whole: response,
    events: [
      `event: response.created\ndata: {"type":"response.created","response":${response.replace(responseCall, '')}}`,
      `event: response.output_item.added\ndata: {"type":"response.output_item.added","output_index":0,"item":${responseCall.replace(text, '""')}}`,
      `event: response.output_item.done\ndata: {"type":"response.output_item.done","output_index":0,"item":${responseCall}}`,
      `event: response.completed\ndata: {"type":"response.completed","response":${response}}`,
    ],
  },
}

const declared = `"name":"find","description":"d"`
const clients: Readonly<Record<string, string>> = {
  '/v1/chat/completions': `"model":"m","temperature":1.0,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c0","type":"function","function":{"name":"find","arguments":${text}}}]},{"role":"tool","tool_call_id":"c0","content":"one"}],"tools":[{"type":"function","function":{${declared},"parameters":${SCHEMA}}}]`,
  '/v1/messages': `"model":"m","max_tokens":99,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[${toolUse}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"}]}],"tools":[{${declared},"input_schema":${SCHEMA}}]`,
  '/v1beta/models/m:generateContent': `"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"find","args":${ARGS}}}]},{"role":"user","parts":[{"functionResponse":{"name":"find","response":{"output":"one"}}}]}],"tools":[{"functionDeclarations":[{${declared},"parametersJsonSchema":${SCHEMA}}]}]`,
  '/v1/responses': `"model":"m","store":false,"input":[{"role":"user","content":"hi"},${responseCall},{"type":"function_call_output","call_id":"c1","output":"one"}],"tools":[{"type":"function",${declared},"parameters":${SCHEMA}}]`,
}

const streamed = (path: string, body: string): readonly [string, string] =>
  path.endsWith(':generateContent')
    ? [path.replace(':generate', ':streamGenerate'), `{${body}}`]
    : [path, `{${body},"stream":true}`]

/** The arguments, out of all the places where they may stand whole or in pieces. */
const said = (answer: string): string =>
  answer
    .replaceAll(/"(?:partial_json|arguments|delta)":"((?:[^"\\]|\\.)*)"/g, (_, piece: string) => piece)
    .replaceAll('\\', '')

for (const [provider, { whole, events }] of Object.entries(vendors)) {
  test(`every number passes a vendor of ${provider} as it is spelled, there and back`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider })
    for (const [path, body] of Object.entries(clients)) {
      upstream.clear()
      upstream.script({ raw: whole })
      const answer = await gateway.send(path, `{${body}}`)
      assert.is(answer.status, 200, answer.text)
      const sent = String(upstream.calls[0]?.raw)
      for (const one of [sent, answer.text]) assert.ok(said(one).includes(ARGS), `${path}: ${one}`)
      for (const one of IN_SCHEMA) assert.ok(sent.includes(one), `${path}: ${sent}`)
    }
  })

  test(`so they do in the stream of a vendor of ${provider}`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider })
    for (const [path, body] of Object.entries(clients)) {
      upstream.script({ sse: events.map(event => `${event}\n\n`) })
      const answer = await gateway.send(...streamed(path, body))
      assert.is(answer.status, 200, answer.text)
      assert.ok(said(answer.text).includes(ARGS), `${path}: ${answer.text}`)
    }
  })
}

test('a response repeats tools and text format with their numbers as they are spelled', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream })
  const held = '{"type":"object","properties":{"n":{"const":9007199254740993,"minimum":1.0}}}'
  const body = `${clients['/v1/responses']},"text":{"format":{"type":"json_schema","name":"a","schema":${held}}}`
  for (const stream of [false, true]) {
    const { text } = await gateway.send('/v1/responses', stream ? `{${body},"stream":true}` : `{${body}}`)
    const responses = stream ? text.split('\n').filter(line => line.includes('"response":{')) : [text]
    assert.is(responses.length, stream ? 3 : 1)
    for (const one of responses) {
      assert.ok(one.includes(`"parameters":${SCHEMA}`), one)
      assert.ok(one.includes(`"schema":${held}`), one)
    }
  }
})

test('a vendor that gets the schemas rewritten gets their numbers as they are spelled', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'moonshot' })
  for (const path of ['/v1/messages', '/v1/responses']) {
    upstream.clear()
    const body = `{${clients[path]}}`.replaceAll(
      SCHEMA,
      `{"$schema":"http://json-schema.org/draft-07/schema#",${SCHEMA.slice(1)}`,
    )
    assert.is((await gateway.send(path, body)).status, 200)
    const sent = String(upstream.calls[0]?.raw)
    assert.not(sent.includes('$schema'), sent)
    for (const one of IN_SCHEMA) assert.ok(sent.includes(one), `${path}: ${sent}`)
  }
})

test.run()
