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
  }),
  apply({ name, hooks }, options) {
    const aliases = new Map(Object.entries(options.aliases))
    hooks.receive.tapPromise(name, async exchange => {
      const prompt = await exchange.read()
      if (!prompt) return
      const asked = prompt.model
      exchange.model = asked === undefined ? (options.default_model ?? undefined) : (aliases.get(asked) ?? asked)
    })
  },
})
