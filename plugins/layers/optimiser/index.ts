import { defineLayer, type Exchange, Memo } from 'deflector'
import { contextPreview } from 'deflector/facets/context-preview'
import { contextSavings } from 'deflector/facets/context-savings'
import { health } from 'deflector/facets/health'
import { stepWords } from 'deflector/facets/step-words'
import { traceName } from 'deflector/facets/trace-name'
import type { Opened } from './open-optimiser.ts'
import type { Optimised } from './optimiser.ts'
import { optimiserOptions } from './options.ts'
import { readStep } from './step-words.ts'

const HEADER = 'x-service-context-optimized'

/** L2.5: sends instructions without what says nothing, and without what was said before in the same request. */
export default defineLayer({
  name: 'optimiser',
  label: 'l2_5',
  deflects: false,
  spans: { answer: 'layer2_5_context_optimizer' },
  summary: 'shortens instructions before they go to a vendor (L2.5)',
  options: optimiserOptions,
  apply(host, options) {
    const { name, hooks, log, offer, onStart } = host
    offer(traceName, 'L2_5_ContextOptimiser')
    offer(stepWords, readStep)
    if (!options.enabled) return offer(health, () => 'disabled')
    let opened: Opened | undefined
    onStart(async () => {
      const { openOptimiser } = await import('./open-optimiser.ts')
      opened = openOptimiser(host, options)
    })
    offer(health, () => 'active')
    offer(contextPreview, async prompt => (await import('./open-optimiser.ts')).preview(host, options, prompt))
    offer(contextSavings, () => opened?.savings ?? NOTHING)
    const made = new Memo<Optimised>()

    hooks.answer.tapPromise(name, async exchange => {
      const optimised = await opened?.optimiser.optimise(exchange).catch((error: unknown) => {
        // A message may quote the prompt.
        const facts = { request: exchange.id, error: error instanceof Error ? error.name : typeof error }
        log.degraded('optimiser', 'instructions could not be read; they are sent as they came', facts)
      })
      if (!optimised) return undefined
      const { outcome, strategy, rewritten, savedBytes } = optimised
      if (optimised.asked || optimised.isMarked) made.set(exchange, optimised)
      trace(exchange, savedBytes, strategy)
      exchange.note(outcome)
      if (rewritten) exchange.outgoing = rewritten
      return undefined
    })
    // Where no vendor is asked, as offline, nothing was saved.
    hooks.attempt.tapPromise(name, async exchange => {
      const { savedBytes = 0 } = made.of(exchange) ?? {}
      if (savedBytes > 0) exchange.replyHeaders[HEADER] = `bytes_saved=${savedBytes}`
    })
    hooks.attempted.tap(name, (exchange, { provider, model }, ended) => {
      const own = ended.outcome === 'answered' ? made.of(exchange) : undefined
      if (!own) return
      const { usage } = ended
      opened?.savings.count(own, usage)
      if (!own.asked || !usage) return
      // Each model of each vendor has a cache of its own.
      const head = JSON.stringify([provider, model, own.asked.head])
      opened?.effect.count({ ...own.asked, head }, usage)
    })
  },
})

/** Before the start. */
const NOTHING = { requests: 0, bytesSaved: 0, requestsMarked: 0, tokensRead: 0, tokensWritten: 0 }

function trace({ attributes }: Exchange, savedBytes: number, strategy: string): void {
  attributes?.set('context.bytes_saved', savedBytes).set('context.strategy', strategy)
}
