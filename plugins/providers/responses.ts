import { defineProvider } from 'deflector'
import { responses } from 'deflector/formats/responses'
import { httpOptions, httpProvider, urlSchema } from 'deflector/http-provider'
import { z } from 'zod'
import { openaiModels } from './upstream/model-lists.ts'
import { responsesUrl } from './upstream/url.ts'

/** Any vendor that speaks the responses format. */
export default defineProvider({
  name: 'responses',
  summary: 'One attempt at a vendor that speaks the responses format.',
  options: z.strictObject({
    ...httpOptions,
    url: urlSchema.default('https://api.openai.com/v1').describe('Base URL (`https://host/v1`) or full responses URL.'),
    key_required: httpOptions.key_required.default(true),
  }),
  apply: (host, options) =>
    httpProvider(host, options, {
      format: responses,
      url: responsesUrl,
      auth: key => ({ authorization: `Bearer ${key}` }),
      models: openaiModels,
      isAnswer: body => body.object === 'response' || Array.isArray(body.output),
    }),
})
