import { defineLayer } from 'deflector'
import { type ModelChoice, modelRouting } from 'deflector/facets/model-routing'
import { z } from 'zod'

const options = z
  .strictObject({
    chain: z
      .array(z.string())
      .default([])
      .describe('Instance names of the providers, as the cloud layer has them. A client may write one before a model.'),
    routes: z
      .record(z.string().min(1), z.string().min(1))
      .default({})
      .describe(
        'Patterns of model names, and the provider that gets each: `*` is any text, `?` any character. The first that fits counts.',
      ),
  })
  .superRefine(({ chain, routes }, context) => {
    for (const [pattern, provider] of Object.entries(routes)) {
      if (chain.includes(provider)) continue
      const message = `"${provider}" is no provider; name one of ${chain.join(', ') || 'the chain, which is empty'}`
      context.addIssue({ code: 'custom', path: ['routes', pattern], message })
    }
  })

/**
 * Chooses the provider by the model that a client names, before any lookup: by the instance name before a slash, else by
 * the patterns. A model without either is the primary's, and so is a slash behind any other word.
 */
export default defineLayer({
  name: 'model-routes',
  label: 'l0',
  summary: 'chooses the provider by the model that a client names',
  options,
  apply({ name, hooks, offer }, { chain, routes }) {
    const [primary] = chain
    const patterns = Object.entries(routes).map(([pattern, provider]) => ({ fits: compiled(pattern), provider }))
    const choice = (model: string): ModelChoice | undefined => {
      const named = chosen(model, chain)
      if (named) return named
      const provider = patterns.find(({ fits }) => fits.test(model))?.provider
      return provider === undefined ? undefined : { provider, model }
    }
    offer(modelRouting, choice)
    hooks.receive.tapPromise(name, async exchange => {
      const prompt = await exchange.read()
      const { model } = exchange
      // The default model is the primary's, whatever it is called.
      if (prompt?.model === undefined || model === undefined) return
      const route = choice(model)
      if (!route) return
      exchange.model = route.model
      if (route.provider !== primary) exchange.route = { ...exchange.route, ...route }
      // Asked for by name the primary is the same as without, so that both share their answers.
      else if (route.named) exchange.route = { ...exchange.route, named: true }
    })
  },
})

/** `groq/llama-3` where groq is an instance. A model's own name may hold slashes. */
function chosen(model: string, chain: readonly string[]): ModelChoice | undefined {
  const slash = model.indexOf('/')
  const provider = model.slice(0, Math.max(0, slash))
  const rest = model.slice(slash + 1)
  return rest !== '' && chain.includes(provider) ? { provider, model: rest, named: true } : undefined
}

function compiled(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's')
}
