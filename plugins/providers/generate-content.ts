import { defineProvider, type JsonObject, ProviderError } from 'deflector'
import { generateContent, isFailure } from 'deflector/formats/generate-content'
import { SESSION_FIELDS } from 'deflector/formats/session-id'
import { httpOptions, httpProvider, type Patches, type Target, urlSchema } from 'deflector/http-provider'
import { z } from 'zod'
import { contentUrl, methodUrl } from './upstream/url.ts'

/** Google, and all others that speak its generateContent format. */
export default defineProvider({
  name: 'generate-content',
  summary: 'One attempt at a vendor that speaks the generate-content format.',
  options: z.strictObject({
    ...httpOptions,
    url: urlSchema
      .default('https://generativelanguage.googleapis.com')
      .describe('Base URL, with or without a version (`/v1beta`), or the full URL of a call.'),
    key_required: httpOptions.key_required.default(true),
  }),
  apply: (host, options) =>
    httpProvider(host, options, {
      format: generateContent,
      url: contentUrl,
      access: (_, { url, target: { model, stream } }) => {
        if (model === undefined) throw new ProviderError('unsayable', 'name a model', { param: 'model' })
        const [method, query] = stream ? ['streamGenerateContent', 'alt=sse'] : ['generateContent']
        return { url: methodUrl(url, model, method, query) }
      },
      auth: key => ({ 'x-goog-api-key': key }),
      patches,
      isAnswer: body => isAnswer(body, host.name),
    }),
})

/** Model and stream stand in the path. A body that names the model as well has to name the same one. */
function patches(body: JsonObject, { model }: Target): Patches {
  const changed: Patches = {}
  if ('model' in body && model !== undefined && bare(body.model) !== bare(model)) changed.model = JSON.stringify(model)
  for (const field of SESSION_FIELDS) if (field in body) changed[field] = undefined
  return changed
}

const bare = (model: unknown): unknown => (typeof model === 'string' ? model.replace(/^models\//, '') : model)

function isAnswer(body: JsonObject, name: string): boolean {
  const { candidates, promptFeedback } = body
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined
  const reason =
    typeof candidate === 'object' && candidate !== null && 'finishReason' in candidate && candidate.finishReason
  if (isFailure(reason)) throw new ProviderError('unavailable', `${name} broke off with ${reason}`, { code: reason })
  return candidate !== undefined || (typeof promptFeedback === 'object' && promptFeedback !== null)
}
