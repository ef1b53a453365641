import { defineLayer } from 'deflector'
import { z } from 'zod'
import { Semantics } from './semantics.ts'

/** Gives a question that was asked before in other words the answer it got, and never that of a different question. */
export default defineLayer({
  name: 'semantic-cache',
  label: 'l1b',
  deflects: true,
  spans: { answer: 'l1b_semantic_cache_search', settle: 'l1b_semantic_cache_insert' },
  asks: { model: 'model', store: 'store' },
  recordedAs: 'L1b_SemanticCache',
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
    if (mode === 'exact') return host.report(() => ({ status: 'disabled' }))
    const { name, hooks, keep, onReady, onDispose, report, cache } = host
    const semantics = new Semantics(
      host,
      host.model(model),
      store === undefined ? undefined : host.store(store),
      options,
      keep,
      ids => void forgetBeside(ids).catch(() => {}), // the store that fails is its layer's to report
    )
    report(() => semantics.report())
    const forgetBeside = cache(semantics.desk)
    onReady(() => semantics.begin())
    onDispose(() => semantics.end())
    hooks.answer.tapPromise(name, exchange => semantics.answer(exchange))
    hooks.settle.tapPromise(name, (exchange, answer) => semantics.settle(exchange, answer))
  },
})
