import { type ChatFormat, type Completion, GatewayError, type JsonObject, type Prompt, promptOf } from 'deflector'

const objectOf = (value: unknown): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new GatewayError('bad_request', 'send a JSON object')
  return value as JsonObject
}
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const textOf = ({ blocks }: Completion): string =>
  blocks.map(block => (block.type === 'text' ? block.text : '')).join('')
const event = (value: JsonObject): string => `data: ${JSON.stringify(value)}\n\n`

/**
 * The smallest whole format: `{prompt, model?, stream?, session_id?}` is asked, `{id, model, text}` answered, and a stream is
 * `data: {text}` events up to `data: {end: true}`. For tests that need some format and care for none.
 */
export const plainFormat: ChatFormat = {
  name: 'plain',
  readHead(parsed) {
    const body = objectOf(parsed)
    const model = text(body.model)
    const session = text(body.session_id)
    return {
      body,
      stream: body.stream === true,
      ...(model !== undefined && { model }),
      ...(session !== undefined && { session }),
    }
  },
  decodePrompt: body => ({
    system: [],
    turns: [{ role: 'user', blocks: [{ type: 'text', text: text(body.prompt) ?? '' }] }],
    tools: [],
    sampling: {},
  }),
  encodePrompt: ({ turns }, { model, stream }) => ({
    prompt: turns.flatMap(({ blocks }) => blocks.map(block => (block.type === 'text' ? block.text : ''))).join('\n'),
    model,
    stream,
  }),
  decodeAnswer(body) {
    const { id, model, text: said } = objectOf(body)
    if (typeof said !== 'string') throw new Error('a plain answer has a text')
    return {
      id: text(id) ?? '',
      model: text(model) ?? '',
      created: 0,
      blocks: said === '' ? [] : [{ type: 'text', text: said }],
      stop: { reason: 'stop' },
    }
  },
  encodeAnswer: (completion, { id }) => ({ id, model: completion.model, text: textOf(completion) }),
  reissue: (bytes, { id }) =>
    Buffer.from(JSON.stringify({ ...objectOf(JSON.parse(Buffer.from(bytes).toString())), id })),
  streamDecoder: () => ({
    push({ data }) {
      const { text: said, end } = objectOf(JSON.parse(data))
      if (end === true) return [{ type: 'stop', stop: { reason: 'stop' } }, { type: 'end' }]
      return typeof said === 'string' ? [{ type: 'text', text: said }] : []
    },
    finish: () => [],
  }),
  streamEncoder: () => ({
    push(step) {
      if (step.type === 'text') return event({ text: step.text })
      return step.type === 'end' ? event({ end: true }) : ''
    },
  }),
  passFrame: ({ wire }) => wire,
  encodeError: ({ code, message }) => ({ error: code, message }),
  encodeStreamError: ({ code, message }) => event({ error: code, message }),
  framing: () => ({ contentType: 'text/event-stream', keepAlive: ': waiting\n\n' }),
}

/** A prompt of the plain format, with its bytes. */
export function plainPrompt(prompt: string, more: JsonObject = {}): Prompt {
  const body = { prompt, ...more }
  return promptOf(plainFormat, Buffer.from(JSON.stringify(body)), body)
}
