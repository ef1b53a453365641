import { createRequire } from 'node:module'
import { dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineModel, type Embedder } from 'deflector'
import { z } from 'zod'
import { StaticModel } from './static-model.ts'

/** Dimensions of every vector of the gateway (specification, "Limits"). */
const DIMENSIONS = 384

/** The model in the package, relative to its root. */
const BUILT_IN = 'models/deflector-static-384'

/** This file is `.ts` in a checkout and `.js` in the package; so is that one. */
const PORTABLE = new URL(`./portable${extname(fileURLToPath(import.meta.url))}`, import.meta.url).href

/**
 * Embeds in this process: a static model is a tokenizer and a mean of rows, and takes tens of microseconds for a short
 * prompt. It needs no child process, no optional library and no download.
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
    const folder = options.model === undefined ? builtInFolder() : resolve(options.model)
    const kept = keep(`static:${folder}`, (): { model?: StaticModel } => ({}))
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
      embed: async texts => texts.map(text => loaded().embed(text)),
      portable: { module: PORTABLE, options: { folder } },
    }
  },
})

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

const builtInFolder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('deflector/package.json')), BUILT_IN)
