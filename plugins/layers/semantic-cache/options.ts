import { maxTtlSecs } from 'deflector/formats/cache-options'
import { z } from 'zod'

export const semanticOptions = z.strictObject({
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
  max_ttl_secs: maxTtlSecs,
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
})

export type SemanticOptions = z.infer<typeof semanticOptions>
