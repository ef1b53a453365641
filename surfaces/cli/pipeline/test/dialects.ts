import { z } from 'zod'
import type { Reply } from './section.ts'

/**
 * What the stub upstream says, in the dialect of the path it was asked at. Written apart from the gateway's own
 * formats, so that a test does not prove a mistake with the same mistake.
 */
export interface Dialect {
  whole(reply: Reply, facts: Facts): unknown
  /** Events of a whole stream, the terminator last. */
  stream(reply: Reply, facts: Facts): string[]
  error(status: number): unknown
}

export interface Facts {
  /** Counts the calls of a test from 1. */
  readonly number: number
  readonly model: string
  readonly wantsUsage: boolean
}

export const SentBody = z.looseObject({
  model: z.string().default('stub-model').catch('stub-model'),
  stream: z.boolean().default(false).catch(false),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional().catch(undefined),
})

export function dialectOf(path: string): Dialect | undefined {
  if (path.endsWith('/chat/completions')) return chatCompletions
  if (path.endsWith('/messages')) return messages
  return undefined
}

const CREATED = 1_767_225_600
const IN = 7
const OUT = 5

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const named = (event: string, value: object): string => `event: ${event}\n${data({ type: event, ...value })}`

/** A few characters each, never half of one. */
function pieces(text: string): string[] {
  const characters = Array.from(text)
  const out: string[] = []
  for (let at = 0; at < characters.length; at += 6) out.push(characters.slice(at, at + 6).join(''))
  return out
}

const chatCalls = ({ tool_calls = [] }: Reply, number: number) =>
  tool_calls.map((call, index) => ({ id: `call_${number}_${index}`, type: 'function', function: call }))

const CHAT_USAGE = { prompt_tokens: IN, completion_tokens: OUT, total_tokens: IN + OUT }

const chatCompletions: Dialect = {
  whole(reply, { number, model }) {
    const tool_calls = chatCalls(reply, number)
    const message = { role: 'assistant', content: reply.text ?? null, ...(tool_calls.length > 0 && { tool_calls }) }
    const finish_reason = reply.finish ?? (tool_calls.length > 0 ? 'tool_calls' : 'stop')
    return {
      id: `chatcmpl-stub-${number}`,
      object: 'chat.completion',
      created: CREATED,
      model,
      choices: [{ index: 0, message, finish_reason }],
      usage: CHAT_USAGE,
    }
  },
  stream(reply, { number, model, wantsUsage }) {
    const chunk = (choices: unknown[], more: object = {}): string =>
      data({
        id: `chatcmpl-stub-${number}`,
        object: 'chat.completion.chunk',
        created: CREATED,
        model,
        choices,
        ...more,
      })
    const delta = (value: unknown, finish_reason: string | null = null): string =>
      chunk([{ index: 0, delta: value, finish_reason }])
    const calls = chatCalls(reply, number)
    return [
      delta({ role: 'assistant', content: '' }),
      ...pieces(reply.text ?? '').map(content => delta({ content })),
      ...calls.map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
      delta({}, reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
      ...(wantsUsage ? [chunk([], { usage: CHAT_USAGE })] : []),
      'data: [DONE]\n\n',
    ]
  },
  error: status => ({
    error: {
      message: `the stub says ${status}`,
      type: status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error',
      param: null,
      code: status === 429 ? 'rate_limit_exceeded' : status === 401 ? 'invalid_api_key' : null,
    },
  }),
}

const MESSAGE_ERRORS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const messages: Dialect = {
  whole(reply, { number, model }) {
    const uses = (reply.tool_calls ?? []).map((call, index) => ({
      type: 'tool_use',
      id: `toolu_${number}_${index}`,
      name: call.name,
      input: JSON.parse(call.arguments) as unknown,
    }))
    return {
      id: `msg_stub_${number}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [...(reply.text === undefined ? [] : [{ type: 'text', text: reply.text }]), ...uses],
      stop_reason: reply.finish ?? (uses.length > 0 ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage: { input_tokens: IN, output_tokens: OUT },
    }
  },
  stream(reply, { number, model }) {
    const calls = reply.tool_calls ?? []
    const stop_reason = reply.finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
    const usage = { input_tokens: IN, output_tokens: 1 }
    const message = {
      id: `msg_stub_${number}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    }
    const block = (index: number, content_block: object, deltas: object[]): string[] => [
      named('content_block_start', { index, content_block }),
      ...deltas.map(delta => named('content_block_delta', { index, delta })),
      named('content_block_stop', { index }),
    ]
    const first = reply.text === undefined ? 0 : 1
    return [
      named('message_start', { message }),
      ...(reply.text === undefined
        ? []
        : block(
            0,
            { type: 'text', text: '' },
            pieces(reply.text).map(text => ({ type: 'text_delta', text })),
          )),
      ...calls.flatMap((call, index) =>
        block(first + index, { type: 'tool_use', id: `toolu_${number}_${index}`, name: call.name, input: {} }, [
          { type: 'input_json_delta', partial_json: call.arguments },
        ]),
      ),
      named('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: OUT } }),
      named('message_stop', {}),
    ]
  },
  error: status => ({
    type: 'error',
    error: {
      type: MESSAGE_ERRORS[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
      message: `the stub says ${status}`,
    },
  }),
}
