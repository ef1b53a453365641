import { defineLayer } from 'deflector'
import { z } from 'zod'

/** Resolves the model before any lookup, so that an alias and its target share their answers. */
export default defineLayer({
  name: 'aliases',
  label: 'l0',
  summary: 'resolves model aliases and fills in the default model',
  options: z.strictObject({
    aliases: z
      .record(z.string(), z.string().min(1))
      .default({})
      .describe('Model names that clients may use, and the real model for each. An alias of an alias is not followed.'),
    default_model: z.string().min(1).nullish().describe('Model for requests that name none.'),
    chain: z
      .array(z.string())
      .default([])
      .describe(
        "Provider names in order. Without `default_model`, the first provider's model is used for requests that name none.",
      ),
  }),
  apply({ name, hooks, provider }, options) {
    const aliases = new Map(Object.entries(options.aliases))
    const [first] = options.chain
    const primary = first === undefined || options.default_model ? undefined : provider(first)
    // Resolved here and not by the provider, because the model is part of the cache key.
    const defaultModel = (): string | undefined => options.default_model ?? primary?.model
    hooks.receive.tapPromise(name, async exchange => {
      const prompt = await exchange.read()
      if (!prompt) return
      const { model: requested, endpoint } = prompt
      if (requested !== undefined) exchange.model = aliases.get(requested) ?? requested
      else if (endpoint === undefined) exchange.model = defaultModel()
    })
  },
})
