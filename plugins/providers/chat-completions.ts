import { defineProvider, ProviderError, type ProviderReason } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { httpOptions, httpProvider, urlSchema } from 'deflector/http-provider'
import { z } from 'zod'
import { operations } from './chat-completions/operations.ts'
import { patchesFor } from './upstream/quirks.ts'
import { quirksSchema } from './upstream/quirks-schema.ts'
import { chatCompletionsUrl } from './upstream/url.ts'

/** Any vendor that speaks the chat-completions format; `presets.ts` has a row for each that we know. */
export default defineProvider({
  name: 'chat-completions',
  summary: 'One attempt at a vendor that speaks the chat-completions format.',
  options: z.strictObject({
    ...httpOptions,
    url: urlSchema.describe('Base URL (`https://host/v1`) or full chat URL.'),
    quirks: quirksSchema.default({}).describe('Where the vendor differs from the format.'),
  }),
  apply: (host, { quirks, ...options }) =>
    httpProvider(host, options, {
      format: chatCompletions,
      url: chatCompletionsUrl,
      auth: key => ({ authorization: `Bearer ${key}` }),
      patches: (body, target) => patchesFor(body, target, quirks),
      isAnswer: body => isAnswer(body, host.name),
      operations,
    }),
})

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
