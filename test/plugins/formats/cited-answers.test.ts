import { type AnswerEvent, type ChatFormat, isObject, type JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { promptIn, reply } from './messages-stream.ts'

/** An answer of a vendor that searched, as clients of each dialect read it, whole and streamed. */

const INTRO = 'Ça va. '
const CITED = 'Oslo is cold.'
const REST = ' Bye.'
const SAID = INTRO + CITED + REST
const URL_ = 'https://a.example/oslo'
const title = 'Oslo'
const place = { start_index: INTRO.length, end_index: INTRO.length + CITED.length }

const annotation = { type: 'url_citation', url: URL_, title, ...place }
const usage = { input_tokens: 9, output_tokens: 8, total_tokens: 17 }
const searchCall = {
  id: 'ws_1',
  type: 'web_search_call',
  status: 'completed',
  action: { type: 'search', query: 'Oslo' },
}
const messageItem = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: SAID, annotations: [annotation] }],
}
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', usage }

const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'Oslo' } }
const result = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', url: URL_, title, encrypted_content: 'x', page_age: null }],
}
const location = {
  type: 'web_search_result_location',
  url: URL_,
  title,
  cited_text: 'It is cold.',
  encrypted_index: 'y',
}
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' }
const messageUsage = { input_tokens: 9, output_tokens: 8, server_tool_use: { web_search_requests: 1 } }

const bytes = (text: string): number => Buffer.byteLength(text)
const grounding = {
  webSearchQueries: ['Oslo'],
  searchEntryPoint: { renderedContent: '<div/>' },
  groundingChunks: [{ web: { uri: URL_, title } }],
  groundingSupports: [
    {
      segment: { startIndex: bytes(INTRO), endIndex: bytes(INTRO + CITED), text: CITED },
      groundingChunkIndices: [0],
    },
  ],
}

const block = (index: number, content_block: JsonObject, ...deltas: readonly JsonObject[]): JsonObject[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const textBlock = (index: number, text: string, ...cited: readonly JsonObject[]): JsonObject[] =>
  block(index, { type: 'text', text: '', ...(cited.length > 0 && { citations: [] }) }, ...cited, {
    type: 'text_delta',
    text,
  })
const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})
const at = { item_id: 'msg_1', output_index: 1, content_index: 0 }

interface Vendor {
  readonly format: ChatFormat
  readonly whole: JsonObject
  /** Data of each event. */
  readonly events: readonly (JsonObject | string)[]
}

const VENDORS: readonly Vendor[] = [
  {
    format: chatCompletions,
    whole: {
      id: 'c',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: {
            role: 'assistant',
            content: SAID,
            annotations: [{ type: 'url_citation', url_citation: { url: URL_, title, ...place } }],
          },
        },
      ],
    },
    events: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: INTRO }),
      chunk({ content: CITED + REST }),
      chunk({ annotations: [{ type: 'url_citation', url_citation: { url: URL_, title, ...place } }] }),
      chunk({}, 'stop'),
      '[DONE]',
    ],
  },
  {
    format: responses,
    whole: { ...response, output: [searchCall, messageItem] },
    events: [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...searchCall, status: 'in_progress' } },
      { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
      { type: 'response.output_item.done', output_index: 0, item: searchCall },
      { type: 'response.output_item.added', output_index: 1, item: { ...messageItem, content: [] } },
      { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } },
      { type: 'response.output_text.delta', ...at, delta: INTRO + CITED },
      { type: 'response.output_text.annotation.added', ...at, annotation_index: 0, annotation },
      { type: 'response.output_text.delta', ...at, delta: REST },
      { type: 'response.output_text.done', ...at, text: SAID },
      { type: 'response.output_item.done', output_index: 1, item: messageItem },
      { type: 'response.completed', response: { ...response, output: [searchCall, messageItem] } },
    ],
  },
  {
    format: messages,
    whole: {
      ...message,
      content: [
        search,
        result,
        { type: 'text', text: INTRO },
        { type: 'text', text: CITED, citations: [location] },
        { type: 'text', text: REST },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: messageUsage,
    },
    events: [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: messageUsage } },
      ...block(0, { ...search, input: {} }, { type: 'input_json_delta', partial_json: '{"query":"Oslo"}' }),
      ...block(1, result),
      ...textBlock(2, INTRO),
      ...textBlock(3, CITED, { type: 'citations_delta', citation: location }),
      ...textBlock(4, REST),
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: messageUsage },
      { type: 'message_stop' },
    ],
  },
  {
    format: generateContent,
    whole: {
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text: SAID }] },
          finishReason: 'STOP',
          groundingMetadata: grounding,
        },
      ],
      modelVersion: 'm',
      responseId: 'r',
    },
    events: [
      { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: INTRO }] } }], responseId: 'r' },
      {
        candidates: [
          {
            index: 0,
            content: { role: 'model', parts: [{ text: CITED + REST }] },
            finishReason: 'STOP',
            groundingMetadata: grounding,
          },
        ],
      },
    ],
  },
]

/** What a client reads: the words, what is cited by which address, and how many calls it would have to run. */
interface Read {
  readonly text: string
  readonly cited: readonly (readonly [string, string])[]
  readonly calls: number
}

const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const object = (value: unknown): JsonObject => (isObject(value) ? value : {})
const cut = (text: string, { start_index, end_index }: JsonObject): string =>
  text.slice(Number(start_index), Number(end_index))

const READERS: Readonly<Record<string, (body: JsonObject) => Read>> = {
  'chat-completions': body => {
    const said = object(list(body.choices)[0]?.message)
    const text = String(said.content)
    const cited = list(said.annotations).map(each => object(each.url_citation))
    return { text, cited: cited.map(each => [String(each.url), cut(text, each)]), calls: list(said.tool_calls).length }
  },
  responses: ({ output }) => {
    const parts = list(output).flatMap(item => list(item.content))
    return {
      text: parts.map(({ text }) => text).join(''),
      cited: parts.flatMap(part =>
        list(part.annotations).map(each => [String(each.url), cut(String(part.text), each)] as const),
      ),
      calls: list(output).filter(({ type }) => type === 'function_call' || type === 'web_search_call').length,
    }
  },
  messages: ({ content }) => ({
    text: list(content)
      .map(({ text = '' }) => text)
      .join(''),
    cited: list(content).flatMap(each =>
      list(each.citations).map(one => [String(one.url), String(each.text)] as const),
    ),
    calls: list(content).filter(({ type }) => String(type).includes('tool')).length,
  }),
  'generate-content': ({ candidates }) => {
    const [candidate = {}] = list(candidates)
    const parts = list(object(candidate.content).parts)
    const text = parts.map(({ text = '' }) => text).join('')
    const { groundingChunks, groundingSupports } = object(candidate.groundingMetadata)
    return {
      text,
      cited: list(groundingSupports).flatMap(({ segment, groundingChunkIndices }) => {
        const { startIndex, endIndex } = object(segment)
        const said = Buffer.from(text).subarray(Number(startIndex), Number(endIndex)).toString('utf8')
        const indices: unknown[] = Array.isArray(groundingChunkIndices) ? groundingChunkIndices : []
        return indices.map(
          one =>
            [
              String(
                object(list(groundingChunks)[Number(one)]?.web ?? list(groundingChunks)[Number(one)]?.retrievedContext)
                  .uri,
              ),
              said,
            ] as const,
        )
      }),
      calls: parts.filter(part => part.functionCall !== undefined).length,
    }
  },
}

function eventsOf({ format, events }: Vendor): AnswerEvent[] {
  const decoder = format.streamDecoder()
  const told = events.flatMap(data => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    return decoder.push({ data: text, ...(isObject(data) && typeof data.type === 'string' && { event: data.type }) })
  })
  return [...told, ...decoder.finish(true).flatMap(frame => frame.events)]
}

/** A question in all dialects. */
const ASKED = {
  model: 'm',
  max_tokens: 9,
  input: 'hi',
  contents: [{ parts: [{ text: 'hi' }] }],
  messages: [{ role: 'user', content: 'hi' }],
}

/** The whole answer that a client's stream comes to. */
function streamedTo(format: ChatFormat, events: readonly AnswerEvent[]): JsonObject {
  const form = format.streamForm ?? assert.unreachable(format.name)
  const record = form?.record()
  const encoder = format.streamEncoder(promptIn(format, { ...ASKED, stream: true }), reply)
  for (const event of events)
    for (const wire of encoder.push(event).split(/(?<=\n\n)/)) if (wire !== '') record?.add(wire)
  const whole = form?.toWhole(record?.text() ?? '')
  return JSON.parse(Buffer.from(whole ?? []).toString('utf8'))
}

const unknown = (): Read => ({ text: '', cited: [], calls: -1 })
const FORMATS = VENDORS.map(({ format }) => format)

for (const vendor of VENDORS)
  for (const client of FORMATS.filter(({ name }) => name !== vendor.format.name))
    for (const how of ['whole', 'streamed'] as const)
      test(`${vendor.format.name} to ${client.name}, ${how}: the words, their source, and no call to run`, () => {
        const completion = vendor.format.decodeAnswer(vendor.whole)
        const body =
          how === 'whole'
            ? client.encodeAnswer(completion, reply, promptIn(client, ASKED))
            : streamedTo(client, eventsOf(vendor))
        const { text, cited, calls } = (READERS[client.name] ?? unknown)(body)
        assert.equal([text, calls], [SAID, 0])
        // This format cites whole blocks, and other vendors say only afterwards what of one they cite.
        const words = client === messages && vendor.format !== messages ? SAID : CITED
        assert.equal(cited, [[URL_, words]])
      })

/** The same message twice, which is one canonical text. */
const twice = [searchCall, messageItem, { ...messageItem, id: 'msg_2' }]
const messageEvents = (output_index: number, id: string): JsonObject[] => {
  const here = { item_id: id, output_index, content_index: 0 }
  return [
    { type: 'response.output_item.added', output_index, item: { ...messageItem, id, content: [] } },
    { type: 'response.output_text.delta', ...here, delta: SAID },
    { type: 'response.output_text.annotation.added', ...here, annotation_index: 0, annotation },
    { type: 'response.output_item.done', output_index, item: { ...messageItem, id } },
  ]
}

test('places in a second message count from its own beginning', () => {
  const vendor: Vendor = {
    format: responses,
    whole: { ...response, output: twice },
    events: [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      ...messageEvents(1, 'msg_1'),
      ...messageEvents(2, 'msg_2'),
      { type: 'response.completed', response: { ...response, output: twice } },
    ],
  }
  for (const client of [chatCompletions, generateContent])
    for (const body of [
      client.encodeAnswer(vendor.format.decodeAnswer(vendor.whole), reply, promptIn(client, ASKED)),
      streamedTo(client, eventsOf(vendor)),
    ]) {
      const { cited } = (READERS[client.name] ?? unknown)(body)
      assert.equal(cited, [
        [URL_, CITED],
        [URL_, CITED],
      ])
    }
})

test('words before a search are no part of what is cited after it', () => {
  const vendor: Vendor = {
    format: messages,
    whole: {
      ...message,
      content: [{ type: 'text', text: INTRO }, search, result, { type: 'text', text: CITED, citations: [location] }],
      stop_reason: 'end_turn',
    },
    events: [
      { type: 'message_start', message: { ...message, content: [], usage: messageUsage } },
      ...textBlock(0, INTRO),
      ...block(1, { ...search, input: {} }),
      ...block(2, result),
      // Some hosts tell the source after the words.
      ...block(
        3,
        { type: 'text', text: '' },
        { type: 'text_delta', text: CITED },
        { type: 'citations_delta', citation: location },
      ),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: messageUsage },
      { type: 'message_stop' },
    ],
  }
  for (const client of [chatCompletions, responses, generateContent])
    for (const body of [
      client.encodeAnswer(vendor.format.decodeAnswer(vendor.whole), reply, promptIn(client, ASKED)),
      streamedTo(client, eventsOf(vendor)),
    ])
      assert.equal((READERS[client.name] ?? unknown)(body), { text: INTRO + CITED, cited: [[URL_, CITED]], calls: 0 })
})

test.run()
