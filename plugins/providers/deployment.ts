import { defineProvider, ProviderError } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { responses } from 'deflector/formats/responses'
import { isPlainPath } from 'deflector/formats/vendor-path'
import { httpOptions, httpProvider } from 'deflector/http-provider'
import { z } from 'zod'
import { isChatAnswer, isResponse } from './upstream/chat-answer.ts'
import { keepingPatches } from './upstream/keeping.ts'
import { withThinkingOff } from './upstream/no-thinking.ts'
import { patchesFor } from './upstream/quirks.ts'
import { quirksSchema } from './upstream/quirks-schema.ts'
import { bareUrlSchema } from './upstream/url.ts'

/** The path in front of deployments has a dated version; that of the newer surface has none, and the body names the deployment. */
const DATED = /^\d{4}-\d{2}-\d{2}(?:-preview)?$/

const options = z
  .strictObject({
    ...httpOptions,
    url: bareUrlSchema.describe('Endpoint of the resource without a path, such as `https://NAME.openai.azure.com`.'),
    model: httpOptions.model.describe(
      'Model behind the deployment, whose rules count. Without `deployment` also the one to ask for when the client names none.',
    ),
    deployment: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('Name of the deployment; without it the model that is asked for.'),
    api_version: z
      .string()
      .default('')
      .describe('API version: a date for `/openai/deployments/…`, or `v1` (`preview`, `latest`) for `/openai/v1`.'),
    auth: z
      .enum(['api-key', 'bearer'])
      .default('api-key')
      .describe('How the credential is sent; `bearer` for a token of Entra ID.'),
    wire: z
      .enum(['chat-completions', 'responses'])
      .default('chat-completions')
      .describe('The format in which it is asked.'),
    key_required: httpOptions.key_required.default(true),
    quirks: quirksSchema.default({}).describe('Where the vendor differs from the format.'),
  })
  .refine(({ api_version: version }) => DATED.test(version) || ['v1', 'preview', 'latest'].includes(version), {
    message: 'set api_version (azure_api_version in the settings) to a date such as 2024-10-21, or to v1',
  })

/** Hosted deployments of OpenAI's models: one endpoint for each customer, one name for each deployed model. */
export default defineProvider({
  name: 'deployment',
  summary: "One attempt at a hosted deployment of OpenAI's models.",
  options,
  apply(host, { quirks, deployment, api_version: version, auth, wire, ...options }) {
    const dated = DATED.test(version)
    const chats = wire === 'chat-completions'
    const ownPatches = keepingPatches(options.store)
    const nameOf = (model: string | undefined): string => {
      const name = deployment ?? model
      // What the operator set is meant so.
      if (deployment === null && name !== undefined && !isPlainPath(encodeURIComponent(name)))
        throw new ProviderError('unsayable', 'model: no deployment can have this name', { param: 'model' })
      if (name !== undefined) return name
      const what = `${host.name} has no deployment for this: name a model, or set azure_deployment_id`
      throw new ProviderError('unsayable', what, { param: 'model' })
    }
    return httpProvider(host, options, {
      format: chats ? withThinkingOff(chatCompletions, quirks, options.model ?? deployment ?? undefined) : responses,
      url: base => new URL(`/openai/${dated && !chats ? '' : 'v1/'}${chats ? 'chat/completions' : 'responses'}`, base),
      auth: key => (auth === 'bearer' ? { authorization: `Bearer ${key}` } : { 'api-key': key }),
      access(_, { url, target }) {
        const own = dated && chats ? deploymentUrl(url, nameOf(target.model)) : new URL(url)
        if (version !== 'v1') own.searchParams.set('api-version', version)
        return { url: own }
      },
      patches(body, target) {
        const named = { ...target, model: nameOf(target.model) }
        if (!chats) return ownPatches(body, named)
        const judged = options.model ?? named.model
        // On the dated path the vendor ignores the model of the body.
        return patchesFor(body, dated ? target : named, quirks, judged)
      },
      isAnswer: body => (chats ? isChatAnswer(body, host.name) : isResponse(body)),
    })
  },
})

const deploymentUrl = (url: URL, name: string): URL =>
  new URL(`/openai/deployments/${encodeURIComponent(name)}/chat/completions`, url)
