import { defineLayer, type LayerHost } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { cacheWhy } from 'deflector/facets/cache-why'
import { health } from 'deflector/facets/health'
import { stepWords } from 'deflector/facets/step-words'
import { traceName } from 'deflector/facets/trace-name'
import type { SemanticModels } from './context.ts'
import { type SemanticOptions, semanticOptions } from './options.ts'
import { Semantics } from './semantics.ts'
import { readStep } from './step-words.ts'

/** Answers a question that was asked before in other words, and never with the answer to a different question. */
export default defineLayer({
  name: 'semantic-cache',
  label: 'l1b',
  deflects: true,
  spans: { answer: 'l1b_semantic_cache_search', settle: 'l1b_semantic_cache_insert' },
  asks: { model: 'model', store: 'store' },
  summary: 'answers requests that were asked before in other words',
  options: semanticOptions,
  apply(host, options) {
    host.offer(traceName, 'L1b_SemanticCache')
    host.offer(stepWords, readStep)
    if (options.mode === 'exact') {
      host.offer(cacheWhy, async () => ({ hit: false, because: 'it is off: cache_mode is "exact"' }))
      return host.offer(health, () => 'disabled')
    }
    const { name, hooks, onStart, onReady, onDispose } = host
    const semantics = new Semantics(host, modelsOf(host, options), options, ids => {
      void forgetInOtherCaches(ids).catch(() => {}) // the layer whose store failed reports it
    })
    host.offer(health, () => semantics.health())
    host.offer(cacheControls, semantics.controls)
    host.offer(cacheWhy, (exchange, other) => semantics.explanation.why(exchange, other))
    onStart(() => semantics.start())
    onReady(() => semantics.begin())
    onDispose(() => semantics.end())
    hooks.answer.tapPromise(name, exchange => semantics.answer(exchange))
    hooks.settle.tapPromise(name, async (exchange, answer) => {
      if (answer.kind === 'whole') await semantics.settle(exchange, answer)
    })

    /** Removes answers that another replica found to be wrong from this gateway's other caches. */
    async function forgetInOtherCaches(ids: readonly string[]): Promise<void> {
      for (const [layer, controls] of host.offers(cacheControls)) {
        if (layer === name) continue
        for (const id of ids) await controls.forget(id)
      }
    }
  },
})

function modelsOf(host: LayerHost, { model, judge }: SemanticOptions): SemanticModels {
  const [embedder, decides] = [host.model(model), host.model(judge)]
  if (!('embed' in embedder)) throw new Error(`the model "${model}" of a semantic cache must embed, and it does not`)
  if (!('agree' in decides)) throw new Error(`the judge "${judge}" of a semantic cache must judge, and it does not`)
  return { embedder, judge: decides }
}
