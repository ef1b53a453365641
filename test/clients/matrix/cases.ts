import type { Reply } from '../../support/upstream.ts'
import type { Question, Tool } from './conversation.ts'

export interface Case {
  readonly title: string
  readonly question: Question
  /** What the vendor says to one call after the other; the last one stands for every call after it. */
  readonly replies: readonly Reply[]
  /** What the client says to a call, by the name of the tool. */
  readonly results?: Readonly<Record<string, string>>
  /** What the client has in the end. */
  readonly answer?: {
    readonly text?: string
    readonly reasoning?: string
    /** All calls of the conversation. */
    readonly calls?: readonly (readonly [name: string, args: unknown])[]
  }
  /** There is no answer, and the client is told this status. */
  readonly refused?: number
  /** Lines that the vendor has to see in its last call, in this order; see `reached.ts`. */
  readonly reached?: readonly string[]
  /** Calls that the vendor gets, at most. */
  readonly atMost?: number
  /** The limit holds for clients that heed `x-should-retry`; others see a status after which they ask again. */
  readonly heeded?: true
  /** Only for clients that ask again by themselves. */
  readonly byRetry?: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** Silence after which a stream gets a keep-alive, for a case that shall meet one. */
  readonly keepAliveSecs?: number
}

const object = (properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const string = { type: 'string' }

const weather: Tool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: object({ city: string }),
}
const now: Tool = { name: 'now', description: 'The time.', parameters: object({}) }
const save: Tool = {
  name: 'save',
  description: 'Keeps a note.',
  parameters: object({ note: object({ title: string, tags: { type: 'array', items: object({ name: string }) } }) }),
}
const write: Tool = { name: 'write', description: 'Writes a file.', parameters: object({ path: string, text: string }) }

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const STRANGE = 'Zwölf "Boxkämpfer"\n\t日本 👩‍👩‍👧 \\ \u2028 </script>'
const NOTE = { note: { title: STRANGE, tags: [{ name: 'ä' }, { name: '' }] } }
const LARGE = { path: 'a.txt', text: 'line of text, „quoted“\n'.repeat(4400) }

const call = (name: string, args: unknown, id?: string) => ({
  name,
  arguments: JSON.stringify(args),
  ...(id && { id }),
})
const user = (text: string) => ({ user: text })

/** One call of one tool, and the answer after its result. */
const roundTrip = (title: string, tool: Tool, args: unknown): Case => ({
  title,
  question: { turns: [user('Use the tool.')], tools: [tool] },
  replies: [{ toolCalls: [call(tool.name, args, 'call_a')] }, { text: 'It is done.' }],
  results: { [tool.name]: 'four degrees' },
  answer: { text: 'It is done.', calls: [[tool.name, args]] },
  reached: [
    'user: Use the tool.',
    `call 1: ${tool.name} ${sorted(args)}`,
    'result 1: four degrees',
    `tool: ${tool.name}(${Object.keys(tool.parameters.properties ?? {}).join(', ')})`,
  ],
})

/** JSON text whose keys stand in the order of the alphabet. */
export const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

const HISTORY = Array.from({ length: 60 }, (_, at) =>
  at % 2 === 0 ? { user: `question ${at} ${STRANGE}` } : { assistant: `answer ${at} ${STRANGE}` },
)

export const CASES: readonly Case[] = [
  {
    title: 'text',
    question: { system: 'Be brief.', turns: [user(`Say hello. ${STRANGE}`)] },
    replies: [{ text: `hello ${STRANGE}` }],
    answer: { text: `hello ${STRANGE}` },
    reached: ['system: Be brief.', `user: Say hello. ${STRANGE}`],
    atMost: 1,
  },
  roundTrip('one tool', weather, { city: 'Oslo' }),
  {
    title: 'parallel tools',
    question: { turns: [user('Oslo and Rome?')], tools: [weather, now] },
    replies: [
      {
        toolCalls: [
          call('get_weather', { city: 'Oslo' }, 'call_a'),
          call('get_weather', { city: 'Rome' }, 'call_b'),
          call('now', {}, 'call_c'),
        ],
      },
      { text: 'Cold, and warm.' },
    ],
    results: { get_weather: 'some degrees', now: 'noon' },
    answer: {
      text: 'Cold, and warm.',
      calls: [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Rome' }],
        ['now', {}],
      ],
    },
    reached: [
      'user: Oslo and Rome?',
      'call 1: get_weather {"city":"Oslo"}',
      'call 2: get_weather {"city":"Rome"}',
      'call 3: now {}',
      'result 1: some degrees',
      'result 2: some degrees',
      'result 3: noon',
    ],
  },
  roundTrip('nested and unicode arguments', save, NOTE),
  roundTrip('empty arguments', now, {}),
  roundTrip('100 KB of arguments', write, LARGE),
  {
    title: 'image',
    question: { turns: [{ user: 'What is this?', png: PNG }] },
    replies: [{ text: 'A dot.' }],
    answer: { text: 'A dot.' },
    reached: ['user: What is this?', `image: image/png ${PNG}`],
  },
  {
    title: 'JSON schema',
    question: { turns: [user('Who?')], schema: object({ name: string, age: { type: 'number' } }) },
    replies: [{ text: '{"name":"Ada","age":36}' }],
    answer: { text: '{"name":"Ada","age":36}' },
    reached: ['user: Who?', 'schema: (name, age)'],
  },
  {
    title: 'reasoning',
    question: { turns: [user('Think.')], reasoning: true },
    replies: [{ reasoning: 'Let me see.', text: 'Seen.' }],
    answer: { text: 'Seen.', reasoning: 'Let me see.' },
    reached: ['user: Think.', 'reasoning'],
  },
  {
    title: 'long history',
    question: { system: 'Be brief.', turns: [...HISTORY, user('And now?')] },
    replies: [{ text: 'Now.' }],
    answer: { text: 'Now.' },
    reached: [
      'system: Be brief.',
      ...HISTORY.map(turn => ('user' in turn ? `user: ${turn.user}` : `assistant: ${turn.assistant}`)),
      'user: And now?',
    ],
  },
  {
    title: 'keep-alives',
    question: { turns: [user('Take your time.')] },
    replies: [{ text: 'Here it is.', frameDelayMs: 100 }],
    answer: { text: 'Here it is.' },
    keepAliveSecs: 0.02,
    atMost: 1,
  },
  { title: '400', question: { turns: [user('Refuse.')] }, replies: [{ status: 400 }], refused: 400, atMost: 1 },
  // The credential is the gateway's, so its client is not asked for another one.
  {
    title: '401',
    question: { turns: [user('Who am I?')] },
    replies: [{ status: 401 }],
    refused: 502,
    atMost: 1,
    heeded: true,
  },
  {
    title: '429, told at once',
    question: { turns: [user('Too fast.')] },
    replies: [{ status: 429, headers: { 'retry-after': '1' } }, { text: 'Slow enough.' }],
    answer: { text: 'Slow enough.' },
    byRetry: true,
    settings: { SERVICE__RETRY_PATIENCE_SECS: '0' },
  },
  {
    title: '429, waited for',
    question: { turns: [user('Too fast.')] },
    replies: [{ status: 429, headers: { 'retry-after': '1' } }, { text: 'Slow enough.' }],
    answer: { text: 'Slow enough.' },
    atMost: 2,
  },
  {
    title: '529, then fine',
    question: { turns: [user('Overloaded?')] },
    replies: [{ status: 529 }, { text: 'No more.' }],
    answer: { text: 'No more.' },
    atMost: 2,
  },
]
