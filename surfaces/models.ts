import { type Call, defineSurface, GatewayError, sendJson } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { z } from 'zod'

/** One model as clients of both dialects read it. */
interface Model {
  readonly id: string
  readonly object: 'model'
  readonly type: 'model'
  readonly display_name: string
  /** Unix seconds; `created_at` is the same in RFC 3339. */
  readonly created: number
  readonly created_at: string
  readonly owned_by: string
}

const options = z.strictObject({
  chain: z.array(z.string()).default([]).describe("provider names in order; each one's own model is listed"),
  aliases: z.record(z.string(), z.string()).default({}).describe('alias to real model id'),
})

export default defineSurface({
  name: 'models',
  needsFlow: true,
  summary: 'GET /v1/models and /v1/models/{id}: the models of the providers, and the aliases',
  options,
  apply(host, { chain, aliases }) {
    const providers = chain.map(name => ({ name, provider: host.provider(name) }))
    const startedAt = (): number => host.status().startedAt
    const models = (): Map<string, Model> => {
      const own = providers.map(({ name, provider }) => ({ owner: name, id: provider.model }))
      return list(own, aliases, startedAt())
    }
    const page = async (call: Call, shape: (data: Model[]) => object): Promise<void> => {
      await host.admit(call)
      sendJson(call, shape([...models().values()]))
    }
    const one = async (call: Call): Promise<void> => {
      await host.admit(call)
      const id = call.params.id ?? ''
      const [primary] = chain
      // The primary is asked for whatever model a client names, so that any model may answer.
      const model = models().get(id) ?? (primary === undefined ? undefined : modelOf(id, primary, startedAt()))
      if (!model) throw new GatewayError('not_found', 'no provider is configured, so no model is', { param: 'model' })
      sendJson(call, model)
    }
    const dialects = [
      {
        format: messages,
        shape: messagesPage,
        when: (headers: Call['headers']) => headers['anthropic-version'] !== undefined,
      },
      { format: chatCompletions, shape: (data: Model[]) => ({ object: 'list', data }) },
    ]
    for (const { shape, ...route } of dialects) {
      host.route('GET', '/v1/models', call => page(call, shape), route)
      // Some vendors' ids hold slashes.
      host.route('GET', '/v1/models/*id', one, route)
    }
  },
})

const messagesPage = (data: Model[]): object => ({
  data,
  has_more: false,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
})

/** One provider of the chain, and the model that is its own; a local server may have none. */
interface Own {
  readonly owner: string
  readonly id: string | undefined
}

/** The providers' own models in the order of the chain, then the aliases, then what else those stand for. */
function list(own: readonly Own[], aliases: Readonly<Record<string, string>>, startedAt: number): Map<string, Model> {
  const models = new Map<string, Model>()
  const add = (id: string, owner: string): void => {
    if (!models.has(id)) models.set(id, modelOf(id, owner, startedAt))
  }
  // A model that no provider has as its own is asked of the primary.
  const primary = own[0]?.owner ?? 'deflector'
  for (const { id, owner } of own) if (id) add(id, owner)
  for (const [alias, target] of Object.entries(aliases)) {
    add(alias, `alias:${own.find(({ id }) => id === target)?.owner ?? primary}`)
  }
  for (const target of Object.values(aliases)) add(target, primary)
  return models
}

function modelOf(id: string, owned_by: string, startedAt: number): Model {
  const created = Math.floor(startedAt / 1000)
  const created_at = new Date(created * 1000).toISOString()
  return { id, object: 'model', type: 'model', display_name: id, created, created_at, owned_by }
}
