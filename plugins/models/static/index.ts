import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Cancellation, defineModel, type Embedder, sharedTimeSlice } from 'deflector'
import { packaged } from 'deflector/files'
import { z } from 'zod'
import { EmbeddingThread, NoThread } from './embedding-thread.ts'
import { StaticModel } from './static-model.ts'

/** Dimensions of every vector of the gateway (specification, "Limits"). */
const DIMENSIONS = 384

/** The model in the package, relative to its root. */
const BUILT_IN = 'models/deflector-static-384'

/** The tokens that count stand within these characters; the rest is not read. */
const MOST_CHARS = 1 << 16

/** This file is `.ts` in a checkout and `.js` in the package; so is that one. */
const PORTABLE = new URL(`./portable${extname(fileURLToPath(import.meta.url))}`, import.meta.url).href

/**
 * Embeds in this process, on a thread of its own: a static model is a tokenizer and a mean of rows, and takes tens of
 * microseconds for a short prompt. It needs no optional library and no download.
 */
export default defineModel({
  name: 'static',
  summary: 'embeds in process with a static model; the built-in one needs nothing else',
  options: z.strictObject({
    model: z
      .string()
      .min(1)
      .optional()
      .describe('A folder with config, tokenizer and a static ONNX table. Default: the built-in model.'),
  }),
  apply({ keep, onStart, log }, options): Embedder {
    const folder = options.model === undefined ? packaged(BUILT_IN) : resolve(options.model)
    const kept = keep(
      `static:${folder}`,
      (): { model?: StaticModel; thread: EmbeddingThread } => ({ thread: new EmbeddingThread(folder) }),
      ({ thread }) => thread.close(),
    )
    const loaded = (): StaticModel => {
      if (!kept.model) throw new Error('the static model was used before it was started')
      return kept.model
    }
    onStart(() => {
      if (kept.model) return
      const began = performance.now()
      kept.model = open(folder)
      log.debug('static model loaded', { folder, ms: Math.round(performance.now() - began) })
    })
    return {
      dimensions: DIMENSIONS,
      get fingerprint() {
        return loaded().fingerprint
      },
      async embed(texts, cancellation) {
        const model = loaded()
        const cut = texts.map(text => text.slice(0, MOST_CHARS))
        try {
          return await kept.thread.embed(cut, cancellation)
        } catch (error) {
          if (!(error instanceof NoThread)) throw error
          // Where the system gives no thread, or its files have gone since the start, a short delay is better than none.
          return embedHere(model, cut, cancellation)
        }
      },
      portable: { module: PORTABLE, options: { folder } },
    }
  },
})

const yieldBetweenTexts = sharedTimeSlice()

async function embedHere(
  model: StaticModel,
  texts: readonly string[],
  cancellation: Cancellation | undefined,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (const text of texts) {
    // Asked right before the work: a wait for nothing would let all that came at once pass together.
    const turn = yieldBetweenTexts()
    if (turn) await turn
    cancellation?.throwIfCancelled()
    vectors.push(model.embed(text))
  }
  return vectors
}

function open(folder: string): StaticModel {
  const failed = (why: string, cause?: unknown): Error =>
    new Error(
      `the static embedding model cannot be loaded: ${why}. Reinstall deflector, ` +
        'set embedding_model to "static" or to another model, or set cache_mode to "exact", which needs none',
      { cause },
    )
  let model: StaticModel
  try {
    model = StaticModel.open(folder)
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error), error)
  }
  if (model.dimensions !== DIMENSIONS) throw failed(`${folder} has ${model.dimensions} dimensions, not ${DIMENSIONS}`)
  return model
}
