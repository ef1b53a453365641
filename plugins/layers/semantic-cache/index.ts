import { defineLayer, type LayerHost } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { cacheWhy } from 'deflector/facets/cache-why'
import { health } from 'deflector/facets/health'
import { traceName } from 'deflector/facets/trace-name'
import { z } from 'zod'
import { type SemanticModels, Semantics } from './semantics.ts'

/** Answers a question that was asked before in other words, and never with the answer to a different question. */
export default defineLayer({
  name: 'semantic-cache',
  label: 'l1b',
  deflects: true,
  spans: { answer: 'l1b_semantic_cache_search', settle: 'l1b_semantic_cache_insert' },
  asks: { model: 'model', store: 'store' },
  summary: 'answers requests that were asked before in other words',
  options: z.strictObject({
    model: z.string().describe('Name of the model that embeds prompts.'),
    judge: z.string().describe('Name of the model that decides which stored prompts have the same answer.'),
    store: z
      .string()
      .optional()
      .describe(
        'Name of a store in which replicas share the answers. Without it, answers stay in the memory of this process.',
      ),
    mode: z
      .enum(['exact', 'semantic', 'both'])
      .default('both')
      .describe('Which caches are on. With `exact` this layer is off and loads no model.'),
    similarity_threshold: z.number().min(0).max(1).default(0.85).describe('Least cosine similarity of a candidate.'),
    decide: z
      .enum(['full', 'cosine'])
      .default('full')
      .describe(
        'How candidates are checked: `full` asks the judge; `cosine` takes the nearest one unchecked. `cosine` serves wrong answers and is meant for measurements only.',
      ),
    max_false_requests: z
      .number()
      .min(0)
      .max(1)
      .default(0.003)
      .describe('Share of requests that may be served the answer to another question: sets the bar of the judge.'),
    wait_ms: z
      .number()
      .int()
      .positive()
      .default(30)
      .describe('Milliseconds that a request waits for a lookup. After that, it is a miss.'),
    ttl_secs: z.number().int().positive().default(300).describe('Seconds for which an answer is served.'),
    max_ttl_secs: z
      .number()
      .int()
      .positive()
      .default(86_400)
      .describe('Largest number of seconds that a request may set with `x-service-cache-ttl`.'),
    max_entries: z
      .number()
      .int()
      .positive()
      .default(10_000)
      .describe('Most entries kept; the least recently used are removed first.'),
    max_bytes: z
      .number()
      .int()
      .positive()
      .default(256 << 20)
      .describe('Most bytes kept, including vectors and answers; the engine itself takes about 185 MB more.'),
    embed_wait_ms: z
      .number()
      .int()
      .positive()
      .default(1000)
      .describe('Milliseconds that a request waits for its vector. After that, it is a miss.'),
    shadow_rate: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe(
        'Share of similarity hits that are sent to the provider anyway, to compare the new answer with the cached one.',
      ),
    max_error: z
      .number()
      .min(0)
      .max(1)
      .default(0.005)
      .describe('Share of wrong hits above which the shadow checks make the cache stricter.'),
  }),
  apply(host, { model, judge, store, mode, ...options }) {
    host.offer(traceName, 'L1b_SemanticCache')
    if (mode === 'exact') {
      host.offer(cacheWhy, async () => ({ hit: false, because: 'it is off: cache_mode is "exact"' }))
      return host.offer(health, () => 'disabled')
    }
    const { name, hooks, onStart, onReady, onDispose } = host
    const semantics = new Semantics(
      host,
      modelsOf(host, model, judge),
      store === undefined ? undefined : host.store(store),
      options,
      ids => void forgetInOtherCaches(ids).catch(() => {}), // the layer whose store failed reports it
    )
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

function modelsOf(host: LayerHost, model: string, judge: string): SemanticModels {
  const [embedder, decides] = [host.model(model), host.model(judge)]
  if (!('embed' in embedder)) throw new Error(`the model "${model}" of a semantic cache must embed, and it does not`)
  if (!('agree' in decides)) throw new Error(`the judge "${judge}" of a semantic cache must judge, and it does not`)
  return { embedder, judge: decides }
}
