import { defineLayer, type Exchange } from 'deflector'
import { z } from 'zod'

const ASK = 'x-service-trace'
const TRAIL = 'x-service-trail'

/**
 * Adds the way of a request to its reply where the operator asks for it. The header is written when the head goes out: of
 * a stream it holds the steps up to its first event, of a failure all that were tried, and never the write-back.
 */
export default defineLayer({
  name: 'trail-header',
  label: 'l0',
  summary: 'adds the way of a request to its reply, where a key that may administer asks with x-service-trace: 1',
  operations: ['*'],
  options: z.strictObject({
    max_bytes: z.int().min(100).max(8_192).default(2_048).describe('Longest value of the header x-service-trail.'),
  }),
  apply({ name, hooks }, { max_bytes }) {
    hooks.receive.tapPromise(name, async exchange => {
      if (exchange.headers[ASK] !== '1' || exchange.mayAdminister === false) return
      // Read when the reply's head is made, whenever that is.
      const get = (): string => trailOf(exchange, max_bytes)
      Object.defineProperty(exchange.replyHeaders, TRAIL, { get, enumerable: true })
    })
  },
})

/** The steps in the syntax of `Server-Timing`, the first ones where not all fit: `exact-cache;dur=0.41;desc="miss"`. */
function trailOf({ trail }: Exchange, most: number): string {
  let text = ''
  for (const { hook, tap, ms, outcome } of trail) {
    const step = `${hook === 'answer' ? '' : `${hook}.`}${tap};dur=${ms.toFixed(2)};desc="${plain(outcome)}"`
    const longer = text === '' ? step : `${text}, ${step}`
    if (longer.length > most - CUT.length) return text + CUT
    text = longer
  }
  return text
}

const CUT = ', cut'

/** Notes may come of a plugin from outside. */
const plain = (text: string): string => text.replace(/[^\x20-\x7e]|["\\]/g, '?')
