/** What the stub vendor says, in the dialects it speaks. Written apart from our formats, so that it can contradict them. */

export interface Sample {
  readonly text?: string
  readonly reasoning?: string
  /** By which its vendor knows the reasoning again, in dialects that have one. */
  readonly signature?: string
  /** `arguments` is JSON text. */
  readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly arguments: string }[]
  /** The dialect's own word for why the model stopped. */
  readonly finish?: string | undefined
  /** Tokens: 7 in and 5 out unless told. */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number }
}

/** What a reply repeats of its call. */
export interface Facts {
  /** Counts the calls from 1. */
  readonly number: number
  readonly model: string
  readonly body: Record<string, unknown>
}

/** What a call says of itself before its body is looked at. */
export interface Asked {
  readonly model?: string
  readonly stream: boolean
}

/** How one dialect looks on the wire. */
export interface WireDialect {
  /** Where model and stream stand in the path; by default they stand in the body. */
  asked?(path: string): Asked
  whole(sample: Sample, facts: Facts): unknown
  /** Whole SSE events, the terminator last. */
  stream(sample: Sample, facts: Facts): string[]
  error(status: number): unknown
}

const signatureOf = ({ signature = 'c2lnbmVk' }: Sample): string => signature

const USAGE = { input: 7, output: 5, cached: 0 }

/** A few characters each, never half of one. */
function pieces(text: string): string[] {
  const characters = Array.from(text)
  const out: string[] = []
  for (let at = 0; at < characters.length; at += 6) out.push(characters.slice(at, at + 6).join(''))
  return out
}

const chatUsage = ({ input, output, cached = 0 }: NonNullable<Sample['usage']>) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
})

const chatCalls = (sample: Sample, facts: Facts) =>
  (sample.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${facts.number}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))

const chatCompletions: WireDialect = {
  whole(sample, facts) {
    const calls = chatCalls(sample, facts)
    return {
      id: `chatcmpl-stub-${facts.number}`,
      object: 'chat.completion',
      created: 1_700_000_000,
      model: facts.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: sample.text || null,
            refusal: null,
            ...(sample.reasoning && { reasoning_content: sample.reasoning }),
            ...(calls.length > 0 && { tool_calls: calls }),
          },
          logprobs: null,
          finish_reason: sample.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
        },
      ],
      usage: chatUsage(sample.usage ?? USAGE),
      system_fingerprint: 'fp_stub',
    }
  },
  stream(sample, facts) {
    const frame = (choices: unknown[], more: Record<string, unknown> = {}): string =>
      `data: ${JSON.stringify({
        id: `chatcmpl-stub-${facts.number}`,
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: facts.model,
        choices,
        ...more,
      })}\n\n`
    const delta = (value: unknown, finish: string | null = null): string =>
      frame([{ index: 0, delta: value, finish_reason: finish }])
    const calls = chatCalls(sample, facts)
    const options = facts.body.stream_options
    const wantsUsage =
      typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true
    return [
      delta({ role: 'assistant', content: '' }),
      ...pieces(sample.reasoning ?? '').map(reasoning_content => delta({ reasoning_content })),
      ...pieces(sample.text ?? '').map(content => delta({ content })),
      ...calls.flatMap((call, index) => [
        delta({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] }),
        ...pieces(call.function.arguments).map(text =>
          delta({ tool_calls: [{ index, function: { arguments: text } }] }),
        ),
      ]),
      delta({}, sample.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
      ...(wantsUsage ? [frame([], { usage: chatUsage(sample.usage ?? USAGE) })] : []),
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

const MESSAGE_ERRORS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const messagesUsage = ({ input, output, cached = 0 }: NonNullable<Sample['usage']>) => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
})

const messages: WireDialect = {
  whole(sample, facts) {
    const calls = sample.toolCalls ?? []
    return {
      id: `msg_stub_${facts.number}`,
      type: 'message',
      role: 'assistant',
      model: facts.model,
      content: [
        ...(sample.reasoning ? [{ type: 'thinking', thinking: sample.reasoning, signature: signatureOf(sample) }] : []),
        ...(sample.text ? [{ type: 'text', text: sample.text }] : []),
        ...calls.map((call, index) => ({
          type: 'tool_use',
          id: call.id ?? `toolu_${facts.number}_${index}`,
          name: call.name,
          input: JSON.parse(call.arguments || '{}'),
        })),
      ],
      stop_reason: sample.finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage: messagesUsage(sample.usage ?? USAGE),
    }
  },
  stream(sample, facts) {
    const frame = (type: string, more: Record<string, unknown> = {}): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
    const usage = messagesUsage(sample.usage ?? USAGE)
    const calls = sample.toolCalls ?? []
    let index = 0
    const block = (start: Record<string, unknown>, deltas: readonly Record<string, unknown>[]): string[] => {
      const at = index++
      return [
        frame('content_block_start', { index: at, content_block: start }),
        ...deltas.map(delta => frame('content_block_delta', { index: at, delta })),
        frame('content_block_stop', { index: at }),
      ]
    }
    return [
      frame('message_start', {
        message: {
          id: `msg_stub_${facts.number}`,
          type: 'message',
          role: 'assistant',
          model: facts.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usage, output_tokens: 1 },
        },
      }),
      frame('ping'),
      ...(sample.reasoning
        ? block({ type: 'thinking', thinking: '', signature: '' }, [
            ...pieces(sample.reasoning).map(thinking => ({ type: 'thinking_delta', thinking })),
            { type: 'signature_delta', signature: signatureOf(sample) },
          ])
        : []),
      ...(sample.text
        ? block(
            { type: 'text', text: '' },
            pieces(sample.text).map(text => ({ type: 'text_delta', text })),
          )
        : []),
      ...calls.flatMap((call, at) =>
        block(
          { type: 'tool_use', id: call.id ?? `toolu_${facts.number}_${at}`, name: call.name, input: {} },
          pieces(call.arguments).map(partial_json => ({ type: 'input_json_delta', partial_json })),
        ),
      ),
      frame('message_delta', {
        delta: { stop_reason: sample.finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn'), stop_sequence: null },
        usage: { output_tokens: usage.output_tokens },
      }),
      frame('message_stop'),
    ]
  },
  error: status => ({
    type: 'error',
    error: {
      type: MESSAGE_ERRORS[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
      message: `the stub says ${status}`,
    },
    request_id: 'req_stub',
  }),
}

const CONTENT_ERRORS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

const contentUsage = ({ input, output, cached = 0 }: NonNullable<Sample['usage']>, thoughts: number) => ({
  promptTokenCount: input,
  ...(cached > 0 && { cachedContentTokenCount: cached }),
  candidatesTokenCount: output - thoughts,
  ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  totalTokenCount: input + output,
})

/** A vendor of calls signs the first of them. */
const contentCalls = (sample: Sample) =>
  (sample.toolCalls ?? []).map(({ id, name, arguments: args }, index) => ({
    functionCall: { ...(id && { id }), name, args: JSON.parse(args || '{}') },
    ...(index === 0 && { thoughtSignature: 'c2lnbmVk' }),
  }))

const generateContent: WireDialect = {
  asked: path => ({
    model: decodeURIComponent(/\/models\/(.*):/.exec(path)?.[1] ?? 'stub-model'),
    stream: path.endsWith(':streamGenerateContent'),
  }),
  whole(sample, facts) {
    const parts = [
      ...(sample.reasoning ? [{ text: sample.reasoning, thought: true }] : []),
      ...(sample.text ? [{ text: sample.text }] : []),
      ...contentCalls(sample),
    ]
    return {
      candidates: [{ content: { parts, role: 'model' }, finishReason: sample.finish ?? 'STOP', index: 0 }],
      usageMetadata: contentUsage(sample.usage ?? USAGE, sample.reasoning ? 1 : 0),
      modelVersion: facts.model,
      responseId: `stub-${facts.number}`,
    }
  },
  stream(sample, facts) {
    const usage = contentUsage(sample.usage ?? USAGE, sample.reasoning ? 1 : 0)
    const parts = [
      ...pieces(sample.reasoning ?? '').map(text => ({ text, thought: true })),
      ...pieces(sample.text ?? '').map(text => ({ text })),
      ...contentCalls(sample),
    ]
    const last = parts.length - 1
    return parts.map((part, at) => {
      const body = {
        candidates: [
          {
            content: { parts: [part], role: 'model' },
            ...(at === last && { finishReason: sample.finish ?? 'STOP' }),
            index: 0,
          },
        ],
        usageMetadata: at === last ? usage : { ...usage, candidatesTokenCount: 1 },
        modelVersion: facts.model,
        responseId: `stub-${facts.number}`,
      }
      return `data: ${JSON.stringify(body)}\r\n\r\n`
    })
  },
  error: status => ({
    error: { code: status, message: `the stub says ${status}`, status: CONTENT_ERRORS[status] ?? 'UNKNOWN' },
  }),
}

const responsesUsage = ({ input, output, cached = 0 }: NonNullable<Sample['usage']>) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
})

/** The items of an answer, each as it is when it is done. */
function responseItems(sample: Sample, { number }: Facts): Record<string, unknown>[] {
  const calls = sample.toolCalls ?? []
  return [
    ...(sample.reasoning
      ? [
          {
            id: `rs_stub_${number}`,
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: sample.reasoning }],
            encrypted_content: `sealed ${number}`,
          },
        ]
      : []),
    ...(sample.text
      ? [
          {
            id: `msg_stub_${number}`,
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', annotations: [], logprobs: [], text: sample.text }],
          },
        ]
      : []),
    ...calls.map((call, index) => ({
      id: `fc_stub_${number}_${index}`,
      type: 'function_call',
      status: 'completed',
      call_id: call.id ?? `call_${number}_${index}`,
      name: call.name,
      arguments: call.arguments,
    })),
  ]
}

/** `finish` is why a response is incomplete. */
function responseBody(sample: Sample, facts: Facts, output: readonly unknown[], status: string) {
  return {
    id: `resp_stub_${facts.number}`,
    object: 'response',
    created_at: 1_700_000_000,
    status,
    background: false,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: sample.finish } : null,
    instructions: facts.body.instructions ?? null,
    model: facts.model,
    output,
    parallel_tool_calls: true,
    store: facts.body.store !== false,
    tool_choice: 'auto',
    tools: facts.body.tools ?? [],
    usage: status === 'in_progress' ? null : responsesUsage(sample.usage ?? USAGE),
    metadata: facts.body.metadata ?? {},
    safety_identifier: facts.body.safety_identifier ?? null,
    prompt_cache_key: facts.body.prompt_cache_key ?? null,
    user: facts.body.user ?? null,
  }
}

const responses: WireDialect = {
  whole: (sample, facts) =>
    responseBody(sample, facts, responseItems(sample, facts), sample.finish ? 'incomplete' : 'completed'),
  stream(sample, facts) {
    let number = 0
    const frame = (type: string, more: Record<string, unknown>): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...more })}\n\n`
    const items = responseItems(sample, facts)
    const begun = responseBody(sample, facts, [], 'in_progress')
    const ending = sample.finish ? 'incomplete' : 'completed'
    return [
      frame('response.created', { response: begun }),
      frame('response.in_progress', { response: begun }),
      ...items.flatMap((item, output_index) => {
        const at = { item_id: item.id, output_index }
        const whole = (type: string): string => frame(type, { output_index, item })
        if (item.type === 'reasoning') {
          const place = { ...at, summary_index: 0 }
          const text = sample.reasoning ?? ''
          return [
            frame('response.output_item.added', { output_index, item: { ...item, summary: [] } }),
            frame('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } }),
            ...pieces(text).map(delta => frame('response.reasoning_summary_text.delta', { ...place, delta })),
            frame('response.reasoning_summary_text.done', { ...place, text }),
            frame('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } }),
            whole('response.output_item.done'),
          ]
        }
        if (item.type === 'message') {
          const place = { ...at, content_index: 0 }
          const text = sample.text ?? ''
          const part = { type: 'output_text', annotations: [], logprobs: [], text: '' }
          return [
            frame('response.output_item.added', {
              output_index,
              item: { ...item, status: 'in_progress', content: [] },
            }),
            frame('response.content_part.added', { ...place, part }),
            ...pieces(text).map(delta => frame('response.output_text.delta', { ...place, delta, logprobs: [] })),
            frame('response.output_text.done', { ...place, text, logprobs: [] }),
            frame('response.content_part.done', { ...place, part: { ...part, text } }),
            whole('response.output_item.done'),
          ]
        }
        const args = String(item.arguments)
        return [
          frame('response.output_item.added', {
            output_index,
            item: { ...item, status: 'in_progress', arguments: '' },
          }),
          ...pieces(args).map(delta => frame('response.function_call_arguments.delta', { ...at, delta })),
          frame('response.function_call_arguments.done', { ...at, name: item.name, arguments: args }),
          whole('response.output_item.done'),
        ]
      }),
      frame(`response.${ending}`, { response: responseBody(sample, facts, items, ending) }),
    ]
  },
  error: chatCompletions.error,
}

/** By how the path of a call ends. */
export const DIALECTS: Readonly<Record<string, WireDialect>> = {
  '/chat/completions': chatCompletions,
  '/messages': messages,
  '/responses': responses,
  ':generateContent': generateContent,
  ':streamGenerateContent': generateContent,
}
