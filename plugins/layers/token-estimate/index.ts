import { bytesAnswer, defineLayer, type Exchange, GatewayError } from 'deflector'
import { COUNT_TOKENS, type Countable, countable, isCountFormat } from 'deflector/formats/token-count'
import { z } from 'zod'
import { TokenCounter } from './token-counter.ts'

/** Says that a count is ours: near the vendor's, and not it. */
const LABEL = 'x-service-estimate'
/** A text that no tokenizer could count. */
const BYTES_PER_TOKEN = 4
/** Milliseconds for a count; then the length of the request has to do. */
const PATIENCE = 10_000
/** Milliseconds without a count after which the tokenizer's memory is given back. */
const IDLE = 300_000

/** Answers how many tokens a prompt has, where its provider cannot be asked. */
export default defineLayer({
  name: 'token-estimate',
  label: 'l0',
  operations: [COUNT_TOKENS],
  summary: 'estimates how many tokens a prompt has, with the labelled header x-service-estimate',
  options: z.strictObject({}),
  apply({ name, hooks, keep, clock, log, onDispose }) {
    const counter = keep(
      `${name}:tokenizer`,
      () => new TokenCounter(),
      counter => counter.rest(),
    )
    let forgetRest: (() => void) | undefined
    onDispose(() => forgetRest?.())

    hooks.answer.tapPromise(name, async exchange => {
      const { dialect } = exchange.prompt
      if (!isCountFormat(dialect)) return undefined
      const elsewhere = dialect.elsewhere?.(exchange.prompt.body)
      if (elsewhere !== undefined) {
        const message = `${elsewhere}: what it stands for is at its vendor, which does not count; send the whole input`
        throw new GatewayError('bad_request', message, { param: elsewhere })
      }
      const { texts, tokens } = contentOf(exchange)
      forgetRest?.()
      const counted = await inTime(counter.count(texts)).catch((error: unknown) => {
        log.degraded('tokenizer', 'the tokenizer fails; tokens are told from the length of a request', {
          error: String(error),
        })
        return undefined
      })
      rest()
      const estimate = counted === undefined ? exchange.prompt.bytes.length / BYTES_PER_TOKEN : counted + tokens
      exchange.replyHeaders[LABEL] = 'true'
      return bytesAnswer(Buffer.from(JSON.stringify(dialect.encodeCount(Math.max(1, Math.ceil(estimate))))))
    })

    function inTime(counting: Promise<number>): Promise<number> {
      return new Promise((resolve, reject) => {
        const forget = clock.after(clock.patience(PATIENCE), () => reject(new Error('it takes too long')))
        counting.then(resolve, reject).finally(forget)
      })
    }

    function rest(): void {
      forgetRest?.()
      forgetRest = clock.after(IDLE, () => {
        if (!counter.busy) void counter.rest()
      })
    }
  },
})

/** What cannot be read as a conversation counts as the text that it is. */
function contentOf({ prompt }: Exchange): Countable {
  try {
    return countable(prompt.chat)
  } catch {
    return { texts: [JSON.stringify(prompt.body)], tokens: 0 }
  }
}
