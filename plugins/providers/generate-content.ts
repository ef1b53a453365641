import { defineProvider, isObject, type JsonObject, type ProviderCall, ProviderError } from 'deflector'
import { generateContent, isFailure, readUsage } from 'deflector/formats/generate-content'
import { SESSION_FIELDS } from 'deflector/formats/session-id'
import {
  type Access,
  type HttpOperation,
  httpOptions,
  httpProvider,
  type Patches,
  type Target,
  urlSchema,
} from 'deflector/http-provider'
import { z } from 'zod'
import { accessToken } from './generate-content/service-account.ts'
import { PASSED, uploadHeaders, uploadReply } from './generate-content/uploads.ts'
import { withoutIds } from './generate-content/without-ids.ts'
import { connections } from './upstream/http.ts'
import { googleModels } from './upstream/model-lists.ts'
import { Sessions } from './upstream/sessions.ts'
import { contentBase, contentUrl, methodUrl } from './upstream/url.ts'

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
    client_credentials: httpOptions.client_credentials.default({
      form: '^AIza[\\w-]{35}$',
      host: 'generativelanguage.googleapis.com',
    }),
    auth: z
      .enum(['x-goog-api-key', 'bearer', 'service-account'])
      .default('x-goog-api-key')
      .describe('What the key is: a key, an access token, or the JSON of a service account that tokens are made with.'),
    call_ids: z
      .boolean()
      .default(true)
      .describe('Whether the vendor takes ids of function calls; else they stay here.'),
    drop_params: z.array(z.string()).default([]).describe('Fields that the vendor refuses; taken out.'),
  }),
  apply(host, { auth, call_ids, drop_params, ...options }) {
    const means = { connections: connections(host, options.connect_secs * 1000), clock: host.clock }
    const sessions = new Sessions(host, `${host.name}:access-tokens`, key => accessToken(key, host.name, means))
    // A client has a key, and neither a token of this host's nor a service account.
    const owned = auth === 'x-goog-api-key' ? options : { ...options, client_credentials: undefined }
    const signedIn = async (call: ProviderCall): Promise<Access> => {
      if (auth !== 'service-account' || call.key === undefined) return {}
      const { token } = await sessions.for(call, call.key)
      return { headers: { authorization: `Bearer ${token}` }, secrets: [token] }
    }
    const http = httpProvider(host, owned, {
      format: generateContent,
      url: contentUrl,
      async access(call, { url, target: { model, stream } }) {
        const { operation } = call.prompt
        if (operation === PASSED) return signedIn(call)
        if (model === undefined) throw new ProviderError('unsayable', 'name a model', { param: 'model' })
        return {
          ...(await signedIn(call)),
          url: stream ? methodUrl(url, model, STREAM, 'alt=sse') : methodUrl(url, model, METHODS[operation] ?? WHOLE),
        }
      },
      // The JSON of a service account never leaves; `access` has the token that is made of it.
      auth: key =>
        auth === 'service-account'
          ? {}
          : auth === 'bearer'
            ? { authorization: `Bearer ${key}` }
            : { 'x-goog-api-key': key },
      // That list is of another host, which takes no token made here.
      ...(auth !== 'service-account' && { models: googleModels }),
      // Those of a service account's host have other paths, and buckets for files.
      ...(auth !== 'service-account' && { passes: contentBase, shows: uploadReply, headers: uploadHeaders }),
      patches(body, target) {
        const changed = patches(body, target)
        for (const field of drop_params) {
          if (!(field in body)) continue
          changed[field] = undefined
          target.note?.(field)
        }
        const contents = call_ids ? undefined : withoutIds(body.contents)
        if (contents) changed.contents = { value: contents }
        return changed
      },
      // The vendor has one status for all that is wrong with a request.
      tooLong: ({ message = '' }) => TOO_LONG.test(message),
      isAnswer,
      gaveUp: body =>
        candidatesIn(body)
          .map(({ finishReason }) => finishReason)
          .find(isFailure),
      operations: {
        count_tokens: operation(body => typeof body.totalTokens === 'number'),
        embed_content: operation(body => isObject(body.embedding)),
        batch_embed_contents: operation(body => Array.isArray(body.embeddings)),
      },
    })
    return { ...http, complete: call => sessions.answer(call, http.complete) }
  },
})

/** In the words of one host, and of the other. */
const TOO_LONG =
  /^The input token count\b.*\bexceeds the maximum number of tokens allowed|\binput token count is \d+ but (?:the )?model only supports up to \d+/i

const STREAM = 'streamGenerateContent'
const WHOLE = 'generateContent'
/** Which method of a model does it. */
const METHODS: Readonly<Record<string, string>> = {
  count_tokens: 'countTokens',
  embed_content: 'embedContent',
  batch_embed_contents: 'batchEmbedContents',
}

const operation = (isAnswer: (body: JsonObject) => boolean): HttpOperation => ({
  url: contentUrl,
  isAnswer,
  usageOf: ({ usageMetadata }) => readUsage(usageMetadata),
  patches: operationPatches,
})

/** Model and stream stand in the path. A body that names the model as well has to name the same one. */
function patches(body: JsonObject, { model }: Target): Patches {
  const changed: Patches = {}
  if (model !== undefined && namesOther(body, model)) changed.model = JSON.stringify(named(body.model, model))
  for (const field of SESSION_FIELDS) if (field in body) changed[field] = undefined
  return changed
}

/** What is counted or embedded names its model again, and so does each of many. */
function operationPatches(body: JsonObject, target: Target): Patches {
  const changed = patches(body, target)
  const { model } = target
  const { generateContentRequest: meant, requests } = body
  if (model === undefined) return changed
  const renamed = (one: unknown): unknown => (namesOther(one, model) ? { ...one, model: named(one.model, model) } : one)
  if (namesOther(meant, model)) changed.generateContentRequest = JSON.stringify(renamed(meant))
  if (Array.isArray(requests) && requests.some(one => namesOther(one, model)))
    changed.requests = JSON.stringify(requests.map(renamed))
  return changed
}

const COLLECTION = 'models/'
const bare = (model: unknown): unknown =>
  typeof model === 'string' && model.startsWith(COLLECTION) ? model.slice(COLLECTION.length) : model

const namesOther = (value: unknown, model: string): value is JsonObject =>
  isObject(value) && 'model' in value && bare(value.model) !== bare(model)

/** As the client spells it: with the collection or without. */
const named = (before: unknown, model: string): string =>
  before === bare(before) || model.startsWith(COLLECTION) ? model : COLLECTION + model

const isAnswer = (body: JsonObject): boolean => candidatesIn(body).length > 0 || isObject(body.promptFeedback)

const candidatesIn = ({ candidates }: JsonObject): readonly JsonObject[] =>
  Array.isArray(candidates) ? candidates.filter(isObject) : []
