import { defineProvider, stepped } from 'deflector'
import { chatCompletions, encodePrompt } from 'deflector/formats/chat-completions'
import { asFunctions } from 'deflector/formats/freeform'
import { noteOmitted, SERVING } from 'deflector/formats/omitted'
import { httpOptions, httpProvider, urlSchema, type VendorFormat } from 'deflector/http-provider'
import { z } from 'zod'
import { operations } from './chat-completions/operations.ts'
import { isChatAnswer } from './upstream/chat-answer.ts'
import { openaiModels } from './upstream/model-lists.ts'
import { withThinkingOff } from './upstream/no-thinking.ts'
import { patchesFor } from './upstream/quirks.ts'
import { quirksSchema } from './upstream/quirks-schema.ts'
import { besideChat, chatCompletionsUrl } from './upstream/url.ts'

/** What most hosts made of the format: they refuse tools that are no functions, and newer fields about the serving. */
const withFunctionsOnly: VendorFormat = {
  ...chatCompletions,
  encodePrompt: stepped((given, target) => {
    const { serving: _, ...chat } = given
    noteOmitted(given, SERVING, target)
    return encodePrompt.steps(asFunctions(chat), target)
  }),
}

/** Any vendor that speaks the chat-completions format; `presets/` has a row for each that we know. */
export default defineProvider({
  name: 'chat-completions',
  summary: 'One attempt at a vendor that speaks the chat-completions format.',
  options: z.strictObject({
    ...httpOptions,
    url: urlSchema.describe('Base URL (`https://host/v1`) or full chat URL.'),
    models_path: z
      .string()
      .nullable()
      .default('models')
      .describe('Where the vendor lists its models, from the base URL; null for one that lists none.'),
    quirks: quirksSchema.default({}).describe('Where the vendor differs from the format.'),
  }),
  apply: (host, { quirks, models_path, ...options }) =>
    httpProvider(host, options, {
      format: withThinkingOff(quirks.custom_tools === true ? chatCompletions : withFunctionsOnly, quirks),
      url: chatCompletionsUrl,
      auth: key => ({ authorization: `Bearer ${key}` }),
      ...(models_path !== null && { models: openaiModels(models_path) }),
      passes: besideChat(''),
      patches: (body, target) => patchesFor(body, target, quirks),
      isAnswer: body => isChatAnswer(body, host.name),
      operations,
    }),
})
