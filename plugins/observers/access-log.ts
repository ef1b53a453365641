import { defineObserver } from 'deflector'
import { statusOf } from 'deflector/formats/exchange-record'
import { isWatching } from 'deflector/formats/watching-call'
import { z } from 'zod'

/** A client may send a model's name of any length. */
const LONGEST_NAME = 200

/** Logs one line for each finished exchange, without prompt, answer or key. */
export default defineObserver({
  name: 'access-log',
  summary: 'writes one line to the log for each request, at the level info',
  options: z.strictObject({}),
  apply({ name, hooks, log, clock }) {
    hooks.finish.tap(name, exchange => {
      const { id, kind, surface, principal, model, layer, answer, deflected, startedAt } = exchange
      // The request that asked has a line of its own.
      if (kind === 'inspect') return
      log[isWatching(exchange) ? 'debug' : 'info']('request', {
        id,
        surface,
        principal: principal?.slice(0, LONGEST_NAME),
        model: model?.slice(0, LONGEST_NAME),
        layer,
        status: statusOf(exchange),
        ms: clock.now() - startedAt,
        provider: deflected ? undefined : answer?.facts.provider,
      })
    })
  },
})
