/** What is asked and answered in the benchmark. */

const FILLER = 'The quick brown fox jumps over the lazy dog while the gateway counts what it saved. '

/** A chat request of about `size` bytes. Requests with different `n` are different prompts. */
export function promptBody(size: number, n: number, stream = false, more: object = {}): string {
  const content = `Question ${n}. ${FILLER.repeat(Math.ceil(size / FILLER.length))}`.slice(0, Math.max(20, size - 110))
  return JSON.stringify({
    model: 'bench-model',
    ...(stream && { stream: true }),
    ...more,
    messages: [{ role: 'user', content }],
  })
}

const WORDS: readonly (readonly string[])[] = [
  'install remove repair clean replace test paint move sell store open close'.split(' '),
  'old new small large wooden steel round blue cheap heavy wet broken'.split(' '),
  'door pump bicycle table engine lamp boiler window ladder fence carpet printer'.split(' '),
  'kitchen garden garage cellar office school harbour station farm attic bath hall'.split(' '),
  'winter summer spring autumn rain snow wind fog heat darkness hurry silence'.split(' '),
]

/** A short question in plain words, another one for each `n` up to 248,832: near its neighbours, as real ones are. */
export function shortBody(n: number): string {
  const [verb, kind, thing, place, when] = WORDS.map((words, i) => words[Math.floor(n / 12 ** i) % 12])
  const content = `How do I ${verb} the ${kind} ${thing} in the ${place} in ${when}?`
  return JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content }] })
}

const usage = { prompt_tokens: 200, completion_tokens: 150, total_tokens: 350 }

/** About 1 KB. */
export function answerOf(n: number): string {
  const message = { role: 'assistant', content: `Answer ${n}. ${FILLER.repeat(8)}` }
  const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }]
  return JSON.stringify({
    id: `chatcmpl-${n}`,
    object: 'chat.completion',
    created: 1,
    model: 'bench-model',
    choices,
    usage,
  })
}

/** Pieces of text in each stream. */
export const TOKENS = 20

/** A prompt with these words has the whole stream written in one piece. */
export const AT_ONCE = 'all at once'

/** The events of one stream. */
export function eventsOf(n: number): string[] {
  const chunk = (choices: unknown[], extra = {}): string =>
    `data: ${JSON.stringify({ id: `chatcmpl-${n}`, object: 'chat.completion.chunk', created: 1, model: 'bench-model', choices, ...extra })}\n\n`
  const pieces = Array.from({ length: TOKENS }, (_, i) =>
    chunk([{ index: 0, delta: { content: `piece ${i} ` }, finish_reason: null }]),
  )
  return [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...pieces,
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage }),
    'data: [DONE]\n\n',
  ]
}
