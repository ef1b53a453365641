/** Streams in the shapes that real vendors send: members that no canonical form has a place for included. */

export interface VendorStream {
  readonly name: string
  /** Its events as they go on the wire, the terminator among them. */
  readonly wires: readonly string[]
  /** The whole answer cannot be told from its events: only streams are answered from the cache. */
  readonly onlyStream?: boolean
  /** It may say anything, so it is asked for each time. */
  readonly notKept?: boolean
}

/** The same with the data of each event. */
type Said = Omit<VendorStream, 'wires'> & { readonly events: readonly object[] }

type Members = Record<string, unknown>

const chunk = (choices: readonly object[], members: Members = {}): object => ({
  id: 'chatcmpl-vendor',
  object: 'chat.completion.chunk',
  created: 1_790_000_001,
  model: 'm-1',
  ...members,
  choices,
})
const choice = (delta: object, more: Members = {}): object => ({ index: 0, delta, finish_reason: null, ...more })
const words = (text: string): string[] => text.match(/\S+\s*/g) ?? []

const SAID = 'The capital of France is Paris, “la ville lumière” 🗼, since 987 — and "that" is\nall \\ there is.'

const openai: Members = { service_tier: 'default', system_fingerprint: 'fp_44709d6fcb' }
const openaiUsage = {
  prompt_tokens: 19,
  completion_tokens: 10,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 3 },
  completion_tokens_details: {
    reasoning_tokens: 4,
    audio_tokens: 0,
    accepted_prediction_tokens: 2,
    rejected_prediction_tokens: 1,
  },
}
const last = (reason: string, more: Members = {}): object => choice({}, { finish_reason: reason, ...more })

const call = (index: number, id: string, name: string, args: readonly string[], more: Members = {}): object[] => [
  chunk([choice({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' }, ...more }] })]),
  ...args.map(piece => chunk([choice({ tool_calls: [{ index, function: { arguments: piece } }] })])),
]

export const CHAT_STREAMS: readonly VendorStream[] = unnamed([
  {
    name: 'openai: fingerprint, tier, padding, usage with all its details',
    events: [
      chunk([choice({ role: 'assistant', content: '', refusal: null }, { logprobs: null })], openai),
      ...words(SAID).map((content, i) =>
        chunk([choice({ content }, { logprobs: null })], { ...openai, obfuscation: 'x'.repeat(1 + (i % 5)) }),
      ),
      chunk([last('stop', { logprobs: null })], { ...openai, obfuscation: 'abc' }),
      chunk([], { ...openai, usage: openaiUsage }),
    ],
  },
  {
    name: 'openai: log probabilities and two choices',
    events: [
      chunk([choice({ role: 'assistant', content: '' }), { ...choice({ role: 'assistant', content: '' }), index: 1 }]),
      ...words('One two three').flatMap((content, i) =>
        [0, 1].map(index =>
          chunk([
            {
              index,
              delta: { content },
              logprobs: {
                content: [{ token: content, logprob: -0.5 - i, bytes: null, top_logprobs: [] }],
                refusal: null,
              },
              finish_reason: null,
            },
          ]),
        ),
      ),
      chunk([last('stop')]),
      chunk([{ ...last('stop'), index: 1 }]),
      chunk([], { usage: openaiUsage }),
    ],
  },
  {
    name: 'openai: parallel calls, one free-form',
    events: [
      chunk([choice({ role: 'assistant', content: null })]),
      ...call(0, 'call_a', 'weather', ['{"ci', 'ty":"Pa', 'ris","at":9007199254740993}']),
      chunk([
        choice({ tool_calls: [{ index: 1, id: 'call_b', type: 'custom', custom: { name: 'patch', input: '' } }] }),
      ]),
      ...['*** Begin', ' Patch\n', '+"x"'].map(input =>
        chunk([choice({ tool_calls: [{ index: 1, custom: { input } }] })]),
      ),
      ...call(2, 'call_c', 'now', ['{}'], { extra_content: { google: { thought_signature: 'c2ln' } } }),
      chunk([last('tool_calls')]),
      chunk([], { usage: openaiUsage }),
    ],
  },
  {
    name: 'azure: content filters',
    events: [
      chunk([], {
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: { filtered: false } } }],
      }),
      chunk([choice({ role: 'assistant', content: '' }, { content_filter_results: {} })]),
      ...words(SAID).map(content =>
        chunk([choice({ content }, { content_filter_results: { hate: { filtered: false, severity: 'safe' } } })]),
      ),
      chunk([last('stop', { content_filter_results: {} })]),
    ],
  },
  {
    name: 'groq: usage inside x_groq',
    events: [
      chunk([choice({ role: 'assistant', content: '' })], { x_groq: { id: 'req_01' } }),
      ...words(SAID).map(content => chunk([choice({ content })])),
      chunk([last('stop')], { x_groq: { id: 'req_01', usage: { ...openaiUsage, queue_time: 0.01 } } }),
    ],
  },
  {
    name: 'mistral: thinking among the parts, usage in the last chunk',
    events: [
      chunk([choice({ role: 'assistant', content: '' })]),
      ...words('Let me think about it.').map(text =>
        chunk([choice({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] })]),
      ),
      chunk([choice({ content: [{ type: 'text', text: 'It is' }] })]),
      chunk([choice({ content: ' Paris.' })]),
      chunk([last('stop')], { usage: openaiUsage }),
    ],
  },
  {
    name: 'deepseek: reasoning, cache counts of its own, usage null in every chunk',
    events: [
      chunk([choice({ role: 'assistant', content: null, reasoning_content: '' })], { usage: null }),
      ...words('First, the map. Then, the capital.').map(reasoning_content =>
        chunk([choice({ content: null, reasoning_content })], { usage: null }),
      ),
      ...words(SAID).map(content => chunk([choice({ content, reasoning_content: null })], { usage: null })),
      chunk([choice({ content: '', reasoning_content: null }, { finish_reason: 'stop' })], {
        usage: { ...openaiUsage, prompt_cache_hit_tokens: 11, prompt_cache_miss_tokens: 8 },
      }),
    ],
  },
  {
    name: 'openrouter: details of reasoning, the provider behind',
    events: [
      ...words('I should look it up.').map(text =>
        chunk(
          [
            choice({
              role: 'assistant',
              content: '',
              reasoning: text,
              reasoning_details: [{ type: 'reasoning.text', text, format: 'anthropic-claude-v1', index: 0 }],
            }),
          ],
          { provider: 'Anthropic' },
        ),
      ),
      chunk(
        [
          choice({
            role: 'assistant',
            content: '',
            reasoning: null,
            reasoning_details: [
              { type: 'reasoning.text', signature: 'c2lnbmF0dXJl', format: 'anthropic-claude-v1', index: 0 },
            ],
          }),
        ],
        { provider: 'Anthropic' },
      ),
      ...words(SAID).map(content => chunk([choice({ role: 'assistant', content })], { provider: 'Anthropic' })),
      chunk([choice({ role: 'assistant', content: '' }, { finish_reason: 'stop', native_finish_reason: 'end_turn' })], {
        provider: 'Anthropic',
      }),
      chunk([choice({ role: 'assistant', content: '' })], {
        provider: 'Anthropic',
        usage: { ...openaiUsage, cost: 0.0001 },
      }),
    ],
  },
  {
    name: 'perplexity: sources in every chunk',
    events: [
      ...words(SAID).map((content, i) =>
        chunk([choice({ role: 'assistant', content })], {
          citations: ['https://a.example', 'https://b.example'],
          search_results: [{ title: 'A', url: 'https://a.example', date: null }],
          usage: { ...openaiUsage, completion_tokens: i, search_context_size: 'low' },
        }),
      ),
      chunk([last('stop')], { citations: ['https://a.example'], usage: openaiUsage }),
    ],
  },
  {
    name: 'somebody: a delta that is not known goes on',
    events: [
      chunk([choice({ role: 'assistant', content: 'Hi' })]),
      chunk([choice({ mood: 'gl' })]),
      chunk([choice({ mood: 'ad' })]),
      chunk([last('stop')], { weight: 0.125 }),
    ],
    onlyStream: true,
  },
])

const start = (message: Members = {}, usage: Members = {}): object => ({
  type: 'message_start',
  message: {
    id: 'msg_vendor',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...message,
    usage: {
      input_tokens: 19,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 },
      output_tokens: 1,
      service_tier: 'standard',
      ...usage,
    },
  },
})
const block = (index: number, content_block: object, deltas: readonly object[]): object[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const text = (index: number, said: string): object[] =>
  block(
    index,
    { type: 'text', text: '' },
    words(said).map(piece => ({ type: 'text_delta', text: piece })),
  )
const end = (delta: Members, usage: Members = {}, beside: Members = {}): object[] => [
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null, ...delta },
    usage: { output_tokens: 41, ...usage },
    ...beside,
  },
  { type: 'message_stop' },
]

export const MESSAGES_STREAMS: readonly VendorStream[] = named([
  { name: 'text, usage with all its details', events: [start(), { type: 'ping' }, ...text(0, SAID), ...end({})] },
  {
    name: 'thinking, redacted thinking, parallel calls',
    events: [
      start(),
      ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
        ...words('Two cities, so two calls.').map(thinking => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'EqQBCkYIBRgC' },
      ]),
      ...block(1, { type: 'redacted_thinking', data: 'EmwKAhgB' }, []),
      ...block(2, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }, [
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"city": "Pa' },
        { type: 'input_json_delta', partial_json: 'ris", "n": 9007199254740993}' },
      ]),
      ...block(3, { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} }, []),
      ...end({ stop_reason: 'tool_use' }, { output_tokens_details: { thinking_tokens: 12 } }),
    ],
  },
  {
    name: 'a search of the vendor, citations, container, edits, a tier',
    events: [
      start({}, { server_tool_use: { web_search_requests: 0 } }),
      ...block(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }, [
        { type: 'input_json_delta', partial_json: '{"query":' },
        { type: 'input_json_delta', partial_json: '"paris"}' },
      ]),
      ...block(
        1,
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'RW5j' }],
        },
        [],
      ),
      ...block(2, { type: 'text', text: '', citations: [] }, [
        { type: 'text_delta', text: 'Paris ' },
        { type: 'text_delta', text: 'it is.' },
        { type: 'citations_delta', citation: { type: 'web_search_result_location', url: 'https://a.example' } },
        { type: 'citations_delta', citation: { type: 'web_search_result_location', url: 'https://b.example' } },
      ]),
      ...end(
        { container: { id: 'container_1', expires_at: '2026-11-23T00:00:00Z' }, stop_details: null },
        { server_tool_use: { web_search_requests: 1 }, iterations: [{ type: 'message', output_tokens: 41 }] },
        { context_management: { applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 3 }] } },
      ),
    ],
  },
  {
    name: 'members that nobody knows, at the start and at the end',
    events: [
      start({ diagnostics: { cache_miss_reason: 'none' } }),
      ...text(0, 'Fine.'),
      ...end({ stop_details: { note: 'x' } }, {}, { safeguard_results: [{ id: 's1', verdict: 'ok' }] }),
    ],
  },
  {
    name: 'an event that nobody knows',
    events: [start(), ...text(0, 'Fine.'), { type: 'weather_report', sunny: true }, ...end({})],
    notKept: true,
  },
])

/** What the client of these responses says of itself, and the vendor repeats. */
export const METADATA = {
  delta: 'a word of the client that is long enough to be taken for a text of the model, were it one',
}

/** A stream's text, as a vendor of the format writes it. */
const RESPONSE = {
  id: 'resp_vendor',
  object: 'response',
  created_at: 1_790_000_001,
  model: 'm-1',
  error: null,
  service_tier: 'default',
  metadata: METADATA,
}

/** Items with the events between their first and last one; the response holds all of them again. */
const ladder = (
  items: readonly { readonly item: Members; readonly begun: Members; readonly events: readonly Members[] }[],
  ending: Members,
): object[] => {
  const begun = { ...RESPONSE, status: 'in_progress', incomplete_details: null, output: [], usage: null }
  const told: Members[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(({ item, begun: shown, events }, output_index): Members[] => [
      { type: 'response.output_item.added', output_index, item: { ...item, ...shown } },
      ...events.map(event => ({ item_id: item.id, output_index, ...event })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    {
      type: `response.${String(ending.status)}`,
      response: { ...RESPONSE, incomplete_details: null, output: items.map(({ item }) => item), ...ending },
    },
  ]
  return told.map((event, sequence_number) => ({ ...event, sequence_number }))
}

const message = (more: Members = {}, annotations: readonly object[] = []) => {
  const part = { type: 'output_text', annotations, logprobs: [], text: SAID }
  const at = { content_index: 0 }
  return {
    item: { id: 'msg_vendor', type: 'message', status: 'completed', role: 'assistant', content: [part], ...more },
    begun: { status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', ...at, part: { ...part, annotations: [], text: '' } },
      ...words(SAID).map((delta, i) => ({
        type: 'response.output_text.delta',
        ...at,
        delta,
        logprobs: [],
        obfuscation: 'x'.repeat(1 + (i % 5)),
      })),
      ...annotations.map((annotation, annotation_index) => ({
        type: 'response.output_text.annotation.added',
        ...at,
        annotation_index,
        annotation,
      })),
      { type: 'response.output_text.done', ...at, text: SAID, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ],
  }
}

const responseUsage = {
  input_tokens: 19,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 29,
}

const thought = (text: string) => {
  const part = { type: 'summary_text', text }
  const at = { summary_index: 0 }
  return {
    item: { id: 'rs_vendor', type: 'reasoning', summary: [part], encrypted_content: 'gAAA' },
    begun: { summary: [], encrypted_content: undefined },
    events: [
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      ...words(text).map(delta => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ],
  }
}

const ARGS = '{"city":"Paris \\"la ville\\"","days":[1,2,3]}'
const PATCH = '*** Begin Patch\n+a line with "delta": "x" in it\n*** End Patch'

const responseCall = (type: string, id: string, member: string, what: string, pieces: readonly string[]) => ({
  item: { id, type, status: 'completed', call_id: `call_${id}`, name: 'tool', [member]: pieces.join('') },
  begun: { status: 'in_progress', [member]: '' },
  events: [
    ...pieces.map(delta => ({ type: `response.${what}.delta`, delta })),
    {
      type: `response.${what}.done`,
      ...(member === 'arguments' && { name: 'tool' }),
      [member]: pieces.join(''),
    },
  ],
})

const cited = { type: 'url_citation', start_index: 0, end_index: 3, url: 'https://a.example', title: 'A' }

export const RESPONSES_STREAMS: readonly VendorStream[] = named([
  {
    name: 'text, padding, a tier, usage with all its details',
    events: ladder([message()], { status: 'completed', usage: responseUsage }),
  },
  {
    name: 'reasoning with its proof, a phase, a call, a free-form call',
    events: ladder(
      [
        thought('First the city, then the days.'),
        message({ phase: 'commentary' }),
        responseCall('function_call', 'fc_vendor', 'arguments', 'function_call_arguments', [...words(ARGS)]),
        responseCall('custom_tool_call', 'ctc_vendor', 'input', 'custom_tool_call_input', [...words(PATCH)]),
      ],
      { status: 'completed', usage: responseUsage },
    ),
  },
  {
    name: 'a search of the vendor with citations',
    events: ladder(
      [
        {
          item: {
            id: 'ws_vendor',
            type: 'web_search_call',
            status: 'completed',
            action: { type: 'search', query: 'q' },
          },
          begun: { status: 'in_progress' },
          events: [{ type: 'response.web_search_call.searching' }],
        },
        message({}, [cited]),
      ],
      { status: 'completed', usage: responseUsage },
    ),
  },
])

/** Streams whose events are data alone. */
function unnamed(streams: readonly Said[]): VendorStream[] {
  const wire = (event: object): string => `data: ${JSON.stringify(event)}\n\n`
  return streams.map(({ events, ...stream }) => ({ ...stream, wires: [...events.map(wire), 'data: [DONE]\n\n'] }))
}

/** Streams whose events are named after the type that stands in them. */
function named(streams: readonly Said[]): VendorStream[] {
  const wire = (event: object): string =>
    `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`
  return streams.map(({ events, ...stream }) => ({ ...stream, wires: events.map(wire) }))
}
