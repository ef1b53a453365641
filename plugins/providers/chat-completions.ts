import { defineProvider, type ProviderCall, ProviderError, type ProviderReason, spliceJson } from 'deflector'
import { health } from 'deflector/facets/health'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { z } from 'zod'
import { attempt } from './upstream/attempt.ts'
import { encoded } from './upstream/encode.ts'
import { baseHeaders } from './upstream/headers.ts'
import { connections } from './upstream/http.ts'
import { keyOptions, keysOf } from './upstream/keys.ts'
import { patchesFor } from './upstream/quirks.ts'
import { type Quirks, quirksSchema } from './upstream/quirks-schema.ts'
import { chatCompletionsUrl, isExposed, urlSchema } from './upstream/url.ts'

/** Any vendor that speaks the chat-completions format; `presets.ts` has a row for each that we know. */
export default defineProvider({
  name: 'chat-completions',
  summary: 'One attempt at a vendor that speaks the chat-completions format.',
  options: z.strictObject({
    url: urlSchema.describe('Base URL (`https://host/v1`) or full chat URL.'),
    model: z
      .string()
      .nullable()
      .default(null)
      .describe('Model to ask for when the client names none, and as a fallback.'),
    ...keyOptions,
    key_required: z.boolean().default(false).describe('Whether the vendor refuses calls without a credential.'),
    headers: z.record(z.string(), z.string()).default({}).describe('Headers sent with every call.'),
    stream_idle_secs: z
      .number()
      .positive()
      .default(60)
      .describe('Seconds without a byte after which a stream is given up.'),
    quirks: quirksSchema.default({}).describe('Where the vendor differs from the format.'),
  }),
  apply(host, options) {
    const { name, clock } = host
    const pool = connections(host)
    const endpoint = chatCompletionsUrl(options.url)
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
          headers: call.key === undefined ? {} : { authorization: `Bearer ${call.key}` },
          body: () => bodyOf(call, options.model, options.quirks),
          format: chatCompletions,
          name,
          idleMs: options.stream_idle_secs * 1000,
          now: () => clock.now(),
          isAnswer: body => isAnswer(body, name),
        }),
    }
  },
})

/** The client's own bytes with as little changed as can be, or its prompt written anew when it speaks another format. */
function bodyOf({ prompt, model, stream }: ProviderCall, fallback: string | null, quirks: Quirks): Uint8Array {
  const target = { model: model ?? prompt.model ?? fallback ?? undefined, stream }
  if (prompt.dialect.name === chatCompletions.name)
    return spliceJson(prompt.bytes, patchesFor(prompt.body, target, quirks))
  const named = { model: target.model ?? '', stream }
  return encoded(chatCompletions, prompt, named, body => patchesFor(body, target, quirks))
}

/** Finish reasons by which a vendor says, under status 200, that it did not finish at all. */
const FAILED_FINISH: Readonly<Record<string, ProviderReason>> = {
  insufficient_system_resource: 'overloaded',
  network_error: 'unavailable',
  error: 'unavailable',
}

function isAnswer(body: Record<string, unknown>, name: string): boolean {
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined
  if (typeof choice !== 'object' || choice === null) return false
  const finish = 'finish_reason' in choice && typeof choice.finish_reason === 'string' ? choice.finish_reason : ''
  const reason = FAILED_FINISH[finish]
  if (reason !== undefined) throw new ProviderError(reason, `${name} broke off with ${finish}`, { code: finish })
  return 'message' in choice && typeof choice.message === 'object' && choice.message !== null
}
