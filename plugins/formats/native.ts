import type {
  AnswerEvent,
  ChatFormat,
  Completion,
  GatewayError,
  JsonObject,
  ReplyFacts,
  StreamEncoder,
  Usage,
} from 'deflector'
import { isObject, spliceJson } from 'deflector'
import { z } from 'zod'
import { checked, optional } from './body.ts'
import { promptHead } from './prompt-head.ts'
import { sseFraming } from './sse.ts'
import { StreamSummary } from './stream-summary.ts'
import { usageOf } from './usage.ts'

const question = z.compile(
  z.object({
    prompt: z.string('must be a string'),
    model: optional(z.string('must be a string')),
    stream: optional(z.boolean('must be a boolean')),
  }),
)

const tokens = z.number().nonnegative()
const answer = z.compile(
  z.object({
    message: z.string(),
    model: z.string(),
    id: z.string(),
    usage: optional(
      z.object({
        input_tokens: tokens,
        output_tokens: tokens,
        cache_read_tokens: optional(tokens),
        cache_write_tokens: optional(tokens),
        reasoning_tokens: optional(tokens),
      }),
    ),
  }),
)

/**
 * Our own format: `{prompt, model?, stream?}` in, `{layer, message, model, id, usage?, provider?}` out. A stream sends
 * `{delta}` for each piece of text, then the whole answer, then `[DONE]`. Other fields of a request are tolerated.
 */
export const native: ChatFormat = {
  name: 'native',
  fieldNames: { messages: 'prompt' },

  readHead(body) {
    if (!isObject(body)) checked(z.record(z.string(), z.unknown(), 'must be a JSON object'), body)
    const { model, stream } = checked(question, body)
    return promptHead(isObject(body) ? body : {}, { model, stream })
  },

  decodePrompt(body) {
    const { prompt } = checked(question, body)
    return { system: [], turns: [{ role: 'user', blocks: [{ type: 'text', text: prompt }] }], tools: [], sampling: {} }
  },

  encodePrompt({ system, turns }, { model, stream }) {
    const said = turns.flatMap(({ blocks }) => blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])))
    return { prompt: [...system, ...said].join('\n\n'), model, stream }
  },

  decodeAnswer(body): Completion {
    const { message, model, id, usage } = answer.parse(body)
    return {
      id,
      model,
      created: 0,
      blocks: message === '' ? [] : [{ type: 'text', text: message }],
      stop: { reason: 'stop' },
      ...(usage && { usage: decodeUsage(usage) }),
    }
  },

  encodeAnswer: ({ blocks, model, usage }, reply) =>
    encodeAnswer(blocks.map(block => shown(block)).join(''), model, usage, reply),

  reissue: (bytes, { id, layer, provider }) =>
    spliceJson(bytes, {
      id: JSON.stringify(id),
      layer: String(layerNumber(layer)),
      provider: provider === undefined ? undefined : JSON.stringify(provider),
    }),

  streamDecoder() {
    throw new Error('no provider answers in the native format')
  },

  streamEncoder: (prompt, reply) => new NativeStreamEncoder(prompt.model ?? '', reply),

  passFrame: ({ wire }) => wire,

  encodeError: ({ code, message }, requestId) => ({ error: code, message, request_id: requestId }),

  encodeStreamError: ({ code, message }: GatewayError) => sse({ error: code, message }),

  framing: sseFraming,

  instructions: ({ prompt }) =>
    typeof prompt === 'string' ? [{ path: ['prompt'], text: prompt, fromUser: true }] : [],
  opening: ({ prompt }) => (typeof prompt === 'string' ? prompt : ''),

  lastTurn: body =>
    typeof body.prompt === 'string' ? { text: body.prompt, rest: { ...body, prompt: '' } } : undefined,
}

class NativeStreamEncoder implements StreamEncoder {
  /** All that was said, as it stands between the quotes of JSON: to escape it once more at the end would take long. */
  #said = ''
  readonly #reply: ReplyFacts
  readonly #summary: StreamSummary

  constructor(model: string, reply: ReplyFacts) {
    this.#summary = new StreamSummary(model)
    this.#reply = reply
  }

  push(event: AnswerEvent): string {
    this.#summary.note(event)
    switch (event.type) {
      case 'text':
      case 'refusal':
        if (event.text === '') return ''
        this.#said += JSON.stringify(event.text).slice(1, -1)
        return sse({ delta: event.text })
      case 'end':
        return `data: ${this.#whole()}\n\ndata: [DONE]\n\n`
      default:
        return ''
    }
  }

  #whole(): string {
    const { layer, message: _, ...rest } = encodeAnswer('', this.#summary.model, this.#summary.usage, this.#reply)
    return `{"layer":${layer},"message":"${this.#said}",${JSON.stringify(rest).slice(1)}`
  }
}

const sse = (value: JsonObject): string => `data: ${JSON.stringify(value)}\n\n`

/** A client that only gets a message gets the refusal as one. */
const shown = (block: Completion['blocks'][number]): string =>
  block.type === 'text' || block.type === 'refusal' ? block.text : ''

function encodeAnswer(message: string, model: string, usage: Usage | undefined, reply: ReplyFacts): JsonObject {
  return {
    layer: layerNumber(reply.layer),
    message,
    model,
    id: reply.id,
    ...(usage && { usage: encodeUsage(usage) }),
    ...(reply.provider !== undefined && { provider: reply.provider }),
  }
}

/** Both exact and similar hits are layer 1: `l1a` and `l1b` differ only in the headers. */
const layerNumber = (label: string): number => Number(/\d/.exec(label)?.[0] ?? 0)

function encodeUsage({ input, output, cacheRead, cacheWrite, reasoning }: Usage): JsonObject {
  return {
    input_tokens: input,
    output_tokens: output,
    ...(cacheRead !== undefined && { cache_read_tokens: cacheRead }),
    ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
    ...(reasoning !== undefined && { reasoning_tokens: reasoning }),
  }
}

function decodeUsage(usage: NonNullable<z.output<typeof answer>['usage']>): Usage {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = usage
  return usageOf({
    input: input_tokens,
    output: output_tokens,
    cacheRead: cache_read_tokens,
    cacheWrite: cache_write_tokens,
    reasoning: reasoning_tokens,
  })
}
