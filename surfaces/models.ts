import { type Call, defineSurface, GatewayError } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { z } from 'zod'

const entry = z.looseObject({ options: z.looseObject({ model: z.string().optional().catch(undefined) }).default({}) })

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
  chain: z.array(z.string()).default([]).describe('provider names in order; their configured models are listed'),
  entries: z
    .record(z.string(), entry)
    .default({})
    .describe('provider name to its `use` and `options`, of which `model` is read'),
  aliases: z.record(z.string(), z.string()).default({}).describe('alias to real model id'),
})

export default defineSurface({
  name: 'models',
  needsFlow: true,
  summary: 'GET /v1/models and /v1/models/{id}: the configured models and aliases',
  options,
  apply(host, options) {
    const models = (): Map<string, Model> => list(options, host.status().startedAt)
    const page = async (call: Call, shape: (data: Model[]) => object): Promise<void> => {
      await host.admit(call)
      sendJson(call, shape([...models().values()]))
    }
    const one = async (call: Call): Promise<void> => {
      await host.admit(call)
      const id = call.params.id ?? ''
      const model = models().get(id)
      if (!model)
        throw new GatewayError('not_found', 'no model of this id is configured; GET /v1/models lists them', {
          param: 'model',
        })
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

function list({ chain, entries, aliases }: z.output<typeof options>, startedAt: number): Map<string, Model> {
  const created = Math.floor(startedAt / 1000)
  const created_at = new Date(created * 1000).toISOString()
  const models = new Map<string, Model>()
  const add = (id: string, owned_by: string): void => {
    if (!models.has(id))
      models.set(id, { id, object: 'model', type: 'model', display_name: id, created, created_at, owned_by })
  }
  for (const name of chain) {
    const model = entries[name]?.options.model
    if (model) add(model, name)
  }
  for (const [alias, target] of Object.entries(aliases)) {
    const owner = models.get(target)?.owned_by ?? chain[0] ?? 'deflector'
    add(alias, `alias:${owner}`)
  }
  return models
}

const sendJson = (call: Call, body: object): void =>
  call.send(200, { 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(body))
