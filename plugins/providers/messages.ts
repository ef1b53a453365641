import { defineProvider } from 'deflector'
import { continuesAnswer, messages } from 'deflector/formats/messages'
import { httpOptions, httpProvider, urlSchema } from 'deflector/http-provider'
import { z } from 'zod'
import { isLongMessage, isMessage } from './upstream/chat-answer.ts'
import { anthropicModels } from './upstream/model-lists.ts'
import { messagesBase, messagesUrl } from './upstream/url.ts'

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
    client_credentials: httpOptions.client_credentials.default({ form: '^sk-ant-', host: 'api.anthropic.com' }),
    auth: z
      .enum(['x-api-key', 'bearer'])
      .default('x-api-key')
      .describe('How the credential is sent; `bearer` for tokens and for hosts that copied the format only.'),
  }),
  apply: (host, { auth, ...options }) =>
    httpProvider(host, options, {
      format: messages,
      url: messagesUrl,
      // A subscription's token is refused as a key.
      auth: key =>
        auth === 'bearer' || key.startsWith('sk-ant-oat') ? { authorization: `Bearer ${key}` } : { 'x-api-key': key },
      models: anthropicModels,
      passes: messagesBase,
      tooLong: isLongMessage,
      continues: (prompt, model) => continuesAnswer(prompt, model ?? prompt.model),
      isAnswer: isMessage,
      operations: {
        count_tokens: {
          url: base => {
            const url = messagesUrl(base)
            url.pathname += '/count_tokens'
            return url
          },
          isAnswer: body => typeof body.input_tokens === 'number',
        },
      },
    }),
})
