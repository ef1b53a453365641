import { defineLayer } from 'deflector'
import { z } from 'zod'

/** Routes by the client's own word, a header, as a classifier would by its judgement. */
export default defineLayer({
  name: 'router',
  label: 'l0_5',
  options: z.strictObject({ confidential: z.string() }),
  apply({ name, hooks }, { confidential }) {
    hooks.answer.tapPromise(name, async exchange => {
      const { 'x-route': route, 'x-route-model': model } = exchange.headers
      if (route === undefined) return undefined
      exchange.route =
        route === 'local' ? { localRule: confidential } : { provider: route, ...(model !== undefined && { model }) }
      return undefined
    })
  },
})
