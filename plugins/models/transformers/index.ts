import { join } from 'node:path'
import { defineModel, type Embedder } from 'deflector'
import { health } from 'deflector/facets/health'
import { cacheFolder, LoadFailure, placeOf, startError } from 'deflector/model-process'
import { z } from 'zod'
import { EmbedChild } from './embed-child.ts'

/** Dimensions of every vector, and tokens of a text that count (specification, "Limits"). */
const DIMENSIONS = 384
const MAX_TOKENS = 512
const WEIGHTS = join('onnx', 'model_quantized.onnx')

/** Embeds with any sentence model that the transformers library can run, in a child process. */
export default defineModel({
  name: 'transformers',
  summary: 'embeds with a transformers model in a process of its own',
  options: z.strictObject({
    model: z.string().min(1).describe('A folder or a hub id (`Xenova/all-MiniLM-L6-v2`).'),
    cache_dir: z
      .string()
      .min(1)
      .optional()
      .describe('Folder for downloads. Default: the hub cache, `~/.cache/huggingface`.'),
    max_queue: z.number().int().positive().default(1024).describe('Most texts that may wait; more are refused.'),
    batch_timeout_ms: z
      .number()
      .int()
      .positive()
      .default(5000)
      .describe('Milliseconds that one batch may take. A slower child process is replaced, at most once a minute.'),
  }),
  apply({ keep, onStart, offer, clock, log }, options): Embedder {
    const cacheDir = cacheFolder(options.cache_dir)
    const { model, max_queue: maxQueue, batch_timeout_ms: batchMs } = options
    const kept = keep(
      `transformers:${model}:${cacheDir}:${maxQueue}:${batchMs}`,
      (): { child?: EmbedChild } => ({}),
      ({ child }) => child?.close(),
    )
    const child = (): EmbedChild => {
      if (!kept.child) throw new Error('the transformers model was used before it was started')
      return kept.child
    }
    onStart(async () => {
      if (kept.child) return
      try {
        const place = placeOf(model, cacheDir, WEIGHTS)
        const started = new EmbedChild({ place, maxTokens: MAX_TOKENS, maxQueue, batchMs, clock, log })
        await started.start()
        const { dimensions } = started
        if (dimensions !== DIMENSIONS) {
          started.close()
          throw new LoadFailure('no_model', `it has ${dimensions} dimensions, not ${DIMENSIONS}`)
        }
        kept.child = started
      } catch (error) {
        throw startError(
          {
            model: `embedding model "${model}"`,
            cacheDir,
            weights: WEIGHTS,
            memory: '256 MB of memory',
            instead:
              'set embedding_model to "static", which needs neither library nor download, or cache_mode to "exact", which needs no model',
          },
          error,
        )
      }
    })
    offer(health, () => (kept.child?.up === false ? 'degraded' : 'active'))
    return {
      dimensions: DIMENSIONS,
      get fingerprint() {
        return child().fingerprint ?? ''
      },
      embed: (texts, cancellation) => child().embed(texts, cancellation),
    }
  },
})
