import { isObject, type JsonObject } from 'deflector'
import type { Reply } from '../../../support/upstream.ts'
import type { Row } from './rows.ts'

interface Asked {
  readonly body: JsonObject
  readonly headers: Readonly<Record<string, unknown>>
}

/** A vendor that is as strict as its row says: what it does not take is a 400 that names it. */
export function strictly(row: Row, { body, headers }: Asked): Reply {
  const fault = faultOf(row, body, headers)
  if (fault !== undefined) return { status: 400, json: { error: { message: `refused: ${fault}`, code: fault } } }
  return body.stream === true ? { sse: streamOf(row, body) } : { json: wholeOf(row, body) }
}

function faultOf(row: Row, body: JsonObject, headers: Asked['headers']): string | undefined {
  const { refuses = [], cap = 'max_tokens', wants = {}, temperature: [low, high] = [0, 2] } = row
  const refused = [...refuses, cap === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'].find(one => one in body)
  if (refused !== undefined) return refused
  for (const [name, value] of Object.entries(row.headers ?? {})) if (headers[name] !== value) return name
  if (row.keyless ? 'authorization' in headers : headers.authorization !== 'Bearer key-1234') return 'authorization'
  if (typeof body[cap] !== 'number') return `no ${cap}`
  for (const [field, value] of Object.entries(wants))
    if (JSON.stringify(body[field]) !== JSON.stringify(value)) return `no ${field}`
  const { temperature, reasoning_effort: effort, tool_choice: choice, response_format: format, tools } = body
  if (typeof temperature === 'number' && (temperature < low || temperature > high)) return 'temperature'
  if (effort !== undefined && row.efforts && !row.efforts.includes(String(effort))) return 'reasoning_effort'
  if (row.noTools && tools !== undefined) return 'tools'
  if (Array.isArray(tools) && tools.length === 0) return 'empty tools'
  if (choice !== undefined && tools === undefined) return 'tool_choice without tools'
  const word = isObject(choice) ? 'named' : choice
  if (word !== undefined && row.choices && !row.choices.includes(String(word))) return 'tool_choice'
  if (isObject(format) && row.formats && !row.formats.includes(String(format.type))) return 'response_format'
  if (body.stream_options !== undefined && body.stream !== true) return 'stream_options without stream'
  if (row.streamsOnly === body.model && body.stream !== true) return 'no stream'
  if (row.plainSchemas && /\$schema|"items":\[/.test(JSON.stringify(tools ?? []))) return 'a schema'
  return messageFault(row, body.messages)
}

function messageFault(row: Row, messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return 'no messages'
  let before: unknown
  for (const message of messages) {
    if (!isObject(message)) return 'a message'
    const { role, tool_calls: calls, tool_call_id: result } = message
    if (role === 'developer' && !row.developer) return 'role developer'
    if (role === 'system' && row.noSystem) return 'role system'
    if (row.alternates && role === before && role !== 'system') return 'two messages of one role'
    before = role
    const refused = (row.refusesInMessages ?? []).find(field => field in message)
    if (refused !== undefined) return `messages[].${refused}`
    const ids = [...(Array.isArray(calls) ? calls.map(call => call.id) : []), ...(result === undefined ? [] : [result])]
    if (row.shortIds && ids.some(id => !/^[A-Za-z0-9]{9}$/.test(String(id)))) return 'tool call id'
    if (ids.some(id => String(id).length > (row.longestId ?? Number.POSITIVE_INFINITY))) return 'tool call id'
  }
  return undefined
}

const USAGE = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
const calls = (body: JsonObject): JsonObject[] =>
  Array.isArray(body.tools)
    ? [{ index: 0, id: 'call_0001', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }]
    : []

const thought = ({ reasoning }: Row): JsonObject =>
  reasoning === 'thinking part'
    ? { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }
    : { [reasoning ?? 'reasoning_content']: 'hm' }

function wholeOf(row: Row, body: JsonObject): JsonObject {
  const asked = calls(body)
  const first = thought(row)
  const parts = Array.isArray(first.content) ? first.content : []
  const message = {
    role: 'assistant',
    ...first,
    content: parts.length > 0 ? [...parts, { type: 'text', text: 'hello' }] : 'hello',
    ...(asked.length > 0 && { tool_calls: asked }),
  }
  return {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: body.model,
    choices: [{ index: 0, message, finish_reason: asked.length > 0 ? 'tool_calls' : 'stop' }],
    usage: USAGE,
  }
}

function streamOf({ usage, ...row }: Row, body: JsonObject): string[] {
  const chunk = (choices: readonly JsonObject[], more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: body.model, choices, ...more })}\n\n`
  const delta = (given: JsonObject, finish: string | null = null, more: JsonObject = {}): string =>
    chunk([{ index: 0, delta: given, finish_reason: finish, ...more }])
  const asked = calls(body)
  const finish = asked.length > 0 ? 'tool_calls' : 'stop'
  const wanted = isObject(body.stream_options) && body.stream_options.include_usage === true
  const told = usage === 'always' || usage === 'never asked' || wanted
  return [
    delta({ role: 'assistant', content: '' }),
    delta(thought(row)),
    delta({ content: 'hello' }),
    ...asked.map(call => delta({ tool_calls: [call] })),
    delta({}, finish, usage === 'choice' ? { usage: USAGE } : {}),
    ...(usage === 'x_groq' ? [chunk([], { x_groq: { id: 'req', usage: USAGE } })] : []),
    ...(told && usage !== 'x_groq' && usage !== 'choice' ? [chunk([], { usage: USAGE })] : []),
    'data: [DONE]\n\n',
  ]
}
