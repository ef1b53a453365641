import { defineProvider, type ProviderCall } from 'deflector'
import { messages } from 'deflector/formats/messages'
import { httpOptions, httpProvider, urlSchema } from 'deflector/http-provider'
import { z } from 'zod'
import { messagesUrl } from './upstream/url.ts'

/** The version of the format that this gateway was written for. */
const VERSION = '2023-06-01'

/** Anthropic, and all others that speak its messages format. */
export default defineProvider({
  name: 'messages',
  summary: 'One attempt at a vendor that speaks the messages format.',
  options: z.strictObject({
    ...httpOptions,
    url: urlSchema
      .default('https://api.anthropic.com')
      .describe('Base URL, with or without `/v1`, or full messages URL.'),
    key_required: httpOptions.key_required.default(true),
  }),
  apply: (host, options) =>
    httpProvider(host, options, {
      format: messages,
      url: messagesUrl,
      auth: key => ({ 'x-api-key': key }),
      headers: protocolHeaders,
      isAnswer: body => body.type === 'message' && Array.isArray(body.content),
    }),
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
