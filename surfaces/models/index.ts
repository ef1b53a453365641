import { type Call, defineSurface, GatewayError, sendJson } from 'deflector'
import { type ModelChoice, modelRouting } from 'deflector/facets/model-routing'
import { isMethod, keyed } from 'deflector/formats/generate-content'
import { z } from 'zod'
import { catalogue, type Model, type Sources, unlisted } from './catalogue.ts'
import { SHAPES } from './shapes.ts'
import { VendorLists } from './vendor-lists.ts'

export default defineSurface({
  name: 'models',
  needsFlow: true,
  summary: 'GET /v1/models and /v1beta/models, whole and by id: the models of the providers, and the aliases',
  options: z.strictObject({
    chain: z.array(z.string()).default([]).describe("provider names in order; each one's own model is listed"),
    aliases: z.record(z.string(), z.string()).default({}).describe('alias to real model id'),
    list_vendor_models: z
      .boolean()
      .default(false)
      .describe('list what the vendors say they have, too, under the names by which they are asked for it'),
    offline: z.boolean().default(false).describe('never ask a vendor, not even for its list'),
    vendor_list_secs: z
      .number()
      .positive()
      .default(3600)
      .describe("seconds for which a vendor's list is taken to be the same"),
  }),
  apply(host, { chain, aliases, list_vendor_models, offline, vendor_list_secs }) {
    const providers = chain.map(name => ({ name, provider: host.provider(name) }))
    const lists = new VendorLists(host, list_vendor_models && !offline ? providers : [], vendor_list_secs * 1000)
    const created = (): number => Math.floor(host.status().startedAt / 1000)
    const routings = host.offers(modelRouting)
    const chosen = (id: string): ModelChoice | undefined => {
      for (const routing of routings.values()) {
        const choice = routing(id)
        if (choice) return choice
      }
      return undefined
    }
    const sources = async (): Promise<Sources> => {
      const own = providers.map(({ name, provider }) => ({ owner: name, id: provider.model }))
      return { own, aliases, vendors: await lists.all(), chosen, created: created() }
    }
    const find = async (id: string): Promise<Model> => {
      const known = await sources()
      // Some provider is asked for whatever model a client names, so that any model may answer.
      const model = catalogue(known).get(id) ?? unlisted(id, known)
      if (model) return model
      throw new GatewayError('not_found', 'no provider is configured, so no model is', { param: 'model' })
    }
    for (const [path, shapes] of Object.entries(SHAPES)) {
      for (const { page, one, ...route } of shapes) {
        const list = async (call: Call): Promise<void> => {
          await host.admit(keyed(call), async () => sendJson(call, page([...catalogue(await sources()).values()])))
        }
        const get = async (call: Call): Promise<void> => {
          if (isMethod(call)) throw new GatewayError('method_not_allowed', `${call.path.slice(0, 120)} takes POST`)
          await host.admit(keyed(call), async () => sendJson(call, one(await find(call.params.id ?? ''))))
        }
        host.route('GET', path, list, route)
        // Some vendors' ids hold slashes.
        host.route('GET', `${path}/*id`, get, route)
      }
    }
  },
})
