import { isObject, type JsonObject } from 'deflector'
import type { Received } from '../../surfaces/cli/pipeline/test/client.ts'

/** How a client of one dialect asks, and how it reads what comes back. */
export interface Surface {
  readonly name: string
  /** Vendor of the same dialect, or of another, by its id in the settings. */
  readonly primary: Vendor
  readonly fallback: Vendor
  request(text: string, stream: boolean): { readonly path: string; readonly body: JsonObject }
  /** The text of a whole answer or of one event of a stream. */
  text(body: JsonObject): string
  /** The event after which the client takes a stream for whole. */
  ends(data: string): boolean
  /** The id that an event repeats. */
  id?(body: JsonObject): unknown
}

export type Vendor = 'openai' | 'openai-responses' | 'groq' | 'anthropic'

/** What a client has of one reply. */
export interface Seen {
  readonly status: number
  readonly text: string
  /** It was told of a failure, by status or in the stream. */
  readonly error: boolean
  /** It takes what it has for the whole answer. */
  readonly whole: boolean
  readonly provider: string | undefined
  /** How many answers the events say they belong to. */
  readonly ids: number
}

const responses: Omit<Surface, 'primary'> = {
  name: 'responses',
  fallback: 'groq',
  request: (text, stream) => ({ path: '/v1/responses', body: { model: 'm', stream, store: false, input: text } }),
  text: ({ type, delta, output }) => {
    if (type === 'response.output_text.delta') return String(delta)
    if (!Array.isArray(output)) return ''
    return output.flatMap(item => (item.content ?? []).map((part: JsonObject) => String(part.text ?? ''))).join('')
  },
  ends: data => data.includes('"type":"response.completed"'),
  id: ({ response }) => (isObject(response) ? response.id : undefined),
}

export const SURFACES: readonly Surface[] = [
  {
    name: 'chat-completions',
    primary: 'openai',
    fallback: 'anthropic',
    request: (text, stream) => ({
      path: '/v1/chat/completions',
      body: { model: 'm', stream, messages: [{ role: 'user', content: text }] },
    }),
    text: ({ choices }) => {
      const [choice] = Array.isArray(choices) ? choices : []
      return String((choice?.delta ?? choice?.message)?.content ?? '')
    },
    ends: data => data === '[DONE]',
    id: ({ id }) => id,
  },
  {
    name: 'messages',
    primary: 'anthropic',
    fallback: 'openai',
    request: (text, stream) => ({
      path: '/v1/messages',
      body: { model: 'm', stream, max_tokens: 500, messages: [{ role: 'user', content: text }] },
    }),
    text: ({ content, delta }) => {
      if (isObject(delta)) return typeof delta.text === 'string' ? delta.text : ''
      return Array.isArray(content) ? content.map(block => String(block.text ?? '')).join('') : ''
    },
    ends: data => data.includes('"message_stop"'),
    id: ({ message }) => (isObject(message) ? message.id : undefined),
  },
  { ...responses, primary: 'openai' },
  { ...responses, name: 'responses as they came', primary: 'openai-responses' },
  {
    name: 'generate-content',
    primary: 'openai',
    fallback: 'groq',
    request: (text, stream) => ({
      path: stream ? '/v1beta/models/m:streamGenerateContent?alt=sse' : '/v1beta/models/m:generateContent',
      body: { contents: [{ role: 'user', parts: [{ text }] }] },
    }),
    text: ({ candidates }) => {
      const [candidate] = Array.isArray(candidates) ? candidates : []
      const parts: unknown = candidate?.content?.parts
      return Array.isArray(parts) ? parts.map(part => String(part.text ?? '')).join('') : ''
    },
    ends: data => data.includes('"finishReason"'),
    id: ({ responseId }) => responseId,
  },
]

/** Reads a reply as a client of the surface would. */
export function seen(surface: Surface, { status, headers, raw, broken }: Received): Seen {
  const streamed = headers['content-type']?.startsWith('text/event-stream') === true
  const datas = streamed
    ? [...raw.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data).filter(data => data !== '')
    : [raw]
  const bodies = datas.flatMap(data => (data.startsWith('{') ? [JSON.parse(data) as JsonObject] : []))
  const error = status >= 400 || bodies.some(isFailure)
  const ids = new Set(bodies.flatMap(body => surface.id?.(body) ?? []))
  return {
    status,
    text: bodies.map(body => surface.text(body)).join(''),
    error,
    whole: !error && !broken && (streamed ? datas.some(data => surface.ends(data)) : true),
    provider: headers['x-service-provider'],
    ids: ids.size,
  }
}

const isFailure = ({ error, type, response }: JsonObject): boolean =>
  (error !== undefined && error !== null) ||
  type === 'error' ||
  type === 'response.failed' ||
  (isObject(response) && isObject(response.error))
