import { defineProvider, type ProviderCall, spliceJson } from 'deflector'
import { health } from 'deflector/facets/health'
import { messages } from 'deflector/formats/messages'
import { z } from 'zod'
import { attempt } from './upstream/attempt.ts'
import { encoded } from './upstream/encode.ts'
import { baseHeaders } from './upstream/headers.ts'
import { connections } from './upstream/http.ts'
import { keyOptions, keysOf } from './upstream/keys.ts'
import { basicPatches } from './upstream/quirks.ts'
import { isExposed, messagesUrl, urlSchema } from './upstream/url.ts'

/** The version of the format that this gateway was written for. */
const VERSION = '2023-06-01'

/** Anthropic, and whoever else speaks its messages format. */
export default defineProvider({
  name: 'messages',
  summary: 'One attempt at a vendor that speaks the messages format.',
  options: z.strictObject({
    url: urlSchema
      .default('https://api.anthropic.com')
      .describe('Base URL, with or without `/v1`, or full messages URL.'),
    model: z
      .string()
      .nullable()
      .default(null)
      .describe('Model to ask for when the client names none, and as a fallback.'),
    ...keyOptions,
    key_required: z.boolean().default(true).describe('Whether the vendor refuses calls without a credential.'),
    headers: z.record(z.string(), z.string()).default({}).describe('Headers sent with every call.'),
    stream_idle_secs: z
      .number()
      .positive()
      .default(60)
      .describe('Seconds without a byte after which a stream is given up.'),
  }),
  apply(host, options) {
    const { name, clock } = host
    const pool = connections(host)
    const endpoint = messagesUrl(options.url)
    const keys = keysOf(options)
    const always = baseHeaders(options.headers)
    host.onStart(() => {
      if (isExposed(endpoint))
        host.log.warn(`${name}: the url is plain http on a public host; keys and prompts can be read on the way`)
    })
    host.offer(health, () => (keys?.length === 0 ? 'no_credential' : 'active'))
    return {
      ...(keys && { keys: () => keys }),
      ...(options.model !== null && { model: options.model }),
      complete: call =>
        attempt(call, {
          connections: pool,
          url: endpoint,
          baseHeaders: always,
          headers: { ...protocolHeaders(call), ...(call.key !== undefined && { 'x-api-key': call.key }) },
          body: () => bodyOf(call, options.model),
          format: messages,
          name,
          idleMs: options.stream_idle_secs * 1000,
          now: () => clock.now(),
          isAnswer: body => body.type === 'message' && Array.isArray(body.content),
        }),
    }
  },
})

/** What a client of this very format says of the format goes along; other clients mean other things by it. */
function protocolHeaders({ prompt, headers }: ProviderCall): Record<string, string> {
  const same = prompt.dialect.name === messages.name
  const beta = same ? headers['anthropic-beta'] : undefined
  return {
    'anthropic-version': (same ? headers['anthropic-version'] : undefined) ?? VERSION,
    ...(beta !== undefined && { 'anthropic-beta': beta }),
  }
}

function bodyOf({ prompt, model, stream }: ProviderCall, fallback: string | null): Uint8Array {
  const target = { model: model ?? prompt.model ?? fallback ?? undefined, stream }
  if (prompt.dialect.name === messages.name) return spliceJson(prompt.bytes, basicPatches(prompt.body, target))
  const named = { model: target.model ?? '', stream }
  return encoded(messages, prompt, named, body => basicPatches(body, target))
}
