import { defineLayer } from 'deflector'
import { z } from 'zod'

/** Settles which model is meant before anything is looked up, so that an alias and its target share their answers. */
export default defineLayer({
  name: 'aliases',
  label: 'l0',
  summary: 'resolves model aliases and fills in the default model',
  options: z.strictObject({
    aliases: z
      .record(z.string(), z.string().min(1))
      .default({})
      .describe(
        'Model names clients may use, and the real model each stands for. An alias of an alias is not followed.',
      ),
    default_model: z.string().min(1).nullish().describe('The model of requests that name none.'),
    chain: z
      .array(z.string())
      .default([])
      .describe(
        'Provider names in order; without `default_model`, the first one knows the model of requests that name none.',
      ),
  }),
  apply({ name, hooks, provider }, options) {
    const aliases = new Map(Object.entries(options.aliases))
    const [first] = options.chain
    const primary = first === undefined || options.default_model ? undefined : provider(first)
    // Settled here and not by the provider: the cache has to know which model an answer is from.
    const unnamed = (): string | undefined => options.default_model ?? primary?.model
    hooks.receive.tapPromise(name, async exchange => {
      const prompt = await exchange.read()
      if (!prompt) return
      const asked = prompt.model
      exchange.model = asked === undefined ? unnamed() : (aliases.get(asked) ?? asked)
    })
  },
})
