import { defineLayer } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { health } from 'deflector/facets/health'
import { traceName } from 'deflector/facets/trace-name'
import { z } from 'zod'
import { Semantics } from './semantics.ts'

/** Gives a question that was asked before in other words the answer it got, and never that of a different question. */
export default defineLayer({
  name: 'semantic-cache',
  label: 'l1b',
  deflects: true,
  spans: { answer: 'l1b_semantic_cache_search', settle: 'l1b_semantic_cache_insert' },
  asks: { model: 'model', store: 'store' },
  summary: 'answers what was asked before in other words',
  options: z.strictObject({
    model: z.string().describe('Name of the model that embeds prompts.'),
    store: z
      .string()
      .optional()
      .describe(
        'Name of a store that keeps the answers, for replicas to share. Without one they stay in this process.',
      ),
    mode: z
      .enum(['exact', 'semantic', 'both'])
      .default('both')
      .describe('Which caches are on; with `exact` this layer passes everything and loads no model.'),
    similarity_threshold: z.number().min(0).max(1).default(0.85).describe('Least cosine similarity of a candidate.'),
    decide: z
      .enum(['full', 'cosine'])
      .default('full')
      .describe(
        'Who decides on candidates: `full` is guards and verifier; `cosine` takes the nearest one unseen, which is for measuring only: it serves wrong answers.',
      ),
    ttl_secs: z.number().int().positive().default(300).describe('Seconds an answer is served.'),
    max_ttl_secs: z
      .number()
      .int()
      .positive()
      .default(86_400)
      .describe('The most seconds that a request may ask for with `x-service-cache-ttl`.'),
    max_entries: z
      .number()
      .int()
      .positive()
      .default(10_000)
      .describe('Entries kept at most; the least recently used go first.'),
    max_bytes: z
      .number()
      .int()
      .positive()
      .default(256 << 20)
      .describe('Bytes kept at most, vectors and answers included.'),
    embed_wait_ms: z
      .number()
      .int()
      .positive()
      .default(1000)
      .describe('Milliseconds a request waits for its vector; later than that, it is a miss.'),
    shadow_rate: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe(
        'Share of likeness hits that are asked anew, to compare the fresh answer with the one that would have been served.',
      ),
    max_error: z
      .number()
      .min(0)
      .max(1)
      .default(0.005)
      .describe('Share of wrong hits above which shadow checks make the cache stricter.'),
  }),
  apply(host, { model, store, mode, ...options }) {
    host.offer(traceName, 'L1b_SemanticCache')
    if (mode === 'exact') return host.offer(health, () => 'disabled')
    const { name, hooks, keep, onReady, onDispose } = host
    const semantics = new Semantics(
      host,
      host.model(model),
      store === undefined ? undefined : host.store(store),
      options,
      keep,
      ids => void forgetElsewhere(ids).catch(() => {}), // a store that fails is its own layer's to report
    )
    host.offer(health, () => semantics.health())
    host.offer(cacheControls, semantics.controls)
    onReady(() => semantics.begin())
    onDispose(() => semantics.end())
    hooks.answer.tapPromise(name, exchange => semantics.answer(exchange))
    hooks.settle.tapPromise(name, async (exchange, answer) => {
      if (answer.kind === 'whole') await semantics.settle(exchange, answer)
    })

    /** What another replica found to be wrong goes out of this gateway's other caches too. */
    async function forgetElsewhere(ids: readonly string[]): Promise<void> {
      for (const [layer, controls] of host.offers(cacheControls)) {
        if (layer === name) continue
        for (const id of ids) await controls.forget(id)
      }
    }
  },
})
