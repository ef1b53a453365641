/** A request of the demo, and its expected outcome. */
export interface DemoRequest {
  readonly label: string
  readonly surface: Surface
  readonly body: Readonly<Record<string, unknown>>
  /** `l3` calls the (demo) cloud; `l1a` is an exact hit, `l1b` a hit in other words. */
  readonly expect: 'l1a' | 'l1b' | 'l3'
  /** Number of identical requests sent at once; they must share one cloud call. */
  readonly atOnce?: number
}

export type Surface = 'native' | 'chat-completions' | 'messages'

export const PATHS: Readonly<Record<Surface, string>> = {
  native: '/api/chat',
  'chat-completions': '/v1/chat/completions',
  messages: '/v1/messages',
}

const MODEL = 'demo-1'
const GIT = 'How do I undo the last git commit without losing my changes?'
const ETAG = 'What is an ETag good for?'
const SUM = 'What is 17 * 23?'
const NOT_FOUND = 'What does the HTTP status code 404 mean?'
const GIT_AGAIN = 'Could you please tell me how I can undo the last git commit without losing my changes?'
const ETAG_AGAIN = "what's an ETag good for"
const NOT_FOUND_AGAIN = 'What does HTTP status 404 mean?'
const FORBIDDEN = 'What does the HTTP status code 403 mean?'
const LIMITS = 'My API answers 429. What should I do about a rate limit?'

const native = (prompt: string) => ({ prompt })

const chat = (content: string, more = {}) => ({ model: MODEL, messages: [{ role: 'user', content }], ...more })

/** The same request as `chat`, with its keys in another order. */
const shuffledChat = (content: string) => ({ messages: [{ content, role: 'user' }], model: MODEL })

const messages = (content: string, more = {}) => ({
  model: MODEL,
  max_tokens: 300,
  messages: [{ role: 'user', content: [{ type: 'text', text: content }] }],
  ...more,
})

const STREAM = { stream: true }

/**
 * Three clients with similar questions. A repeat never directly follows its first request, so that it meets a stored
 * answer and not a running call.
 */
export const WORKLOAD: readonly DemoRequest[] = [
  { label: 'a question', surface: 'native', body: native(GIT), expect: 'l3' },
  { label: 'another question', surface: 'native', body: native(SUM), expect: 'l3' },
  { label: 'the first question again', surface: 'native', body: native(GIT), expect: 'l1a' },
  { label: 'a question of an SDK', surface: 'chat-completions', body: chat(ETAG), expect: 'l3' },
  { label: 'the git question: surfaces never share', surface: 'chat-completions', body: chat(GIT), expect: 'l3' },
  { label: 'the SDK again', surface: 'chat-completions', body: chat(ETAG), expect: 'l1a' },
  { label: 'the SDK again, keys shuffled', surface: 'chat-completions', body: shuffledChat(ETAG), expect: 'l1a' },
  { label: 'the SDK again, streamed', surface: 'chat-completions', body: chat(ETAG, STREAM), expect: 'l1a' },
  { label: 'a new question, streamed', surface: 'chat-completions', body: chat(NOT_FOUND, STREAM), expect: 'l3' },
  { label: 'an agent asks', surface: 'messages', body: messages(LIMITS), expect: 'l3' },
  { label: 'the streamed question, plain', surface: 'chat-completions', body: chat(NOT_FOUND), expect: 'l1a' },
  { label: 'the agent again', surface: 'messages', body: messages(LIMITS), expect: 'l1a' },
  { label: 'the agent again, streamed', surface: 'messages', body: messages(LIMITS, STREAM), expect: 'l1a' },
  {
    label: 'another temperature: no repeat',
    surface: 'chat-completions',
    body: chat(ETAG, { temperature: 0 }),
    expect: 'l3',
  },
  { label: 'five alike at the same time', surface: 'chat-completions', body: chat(SUM), expect: 'l3', atOnce: 5 },
  { label: 'an agent streams something new', surface: 'messages', body: messages(SUM, STREAM), expect: 'l3' },
  { label: 'the five, once more', surface: 'chat-completions', body: chat(SUM), expect: 'l1a' },
  { label: 'the first question in other words', surface: 'native', body: native(GIT_AGAIN), expect: 'l1b' },
  { label: 'the SDK in other words', surface: 'chat-completions', body: chat(ETAG_AGAIN), expect: 'l1b' },
  { label: 'the streamed question, shorter', surface: 'chat-completions', body: chat(NOT_FOUND_AGAIN), expect: 'l1b' },
  { label: 'nearly the same: another status', surface: 'chat-completions', body: chat(FORBIDDEN), expect: 'l3' },
  { label: 'the second question again', surface: 'native', body: native(SUM), expect: 'l1a' },
]
