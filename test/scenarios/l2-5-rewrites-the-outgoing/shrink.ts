import { defineLayer, promptOf } from 'deflector'
import { z } from 'zod'

/** Takes HTML comments out of what is sent; says how much shorter that made it. */
export default defineLayer({
  name: 'shrink',
  label: 'l2_5',
  options: z.strictObject({}),
  apply({ name, hooks }) {
    hooks.answer.tapPromise(name, async exchange => {
      const { format, bytes } = exchange.prompt
      const text = Buffer.from(bytes).toString('utf8')
      const shorter = text.replace(/<!--.*?-->/g, '')
      if (shorter === text) return undefined
      exchange.outgoing = promptOf(format, Buffer.from(shorter), JSON.parse(shorter))
      exchange.replyHeaders['x-service-context-optimized'] = `bytes_saved=${text.length - shorter.length}`
      return undefined
    })
  },
})
