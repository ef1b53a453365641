import { extname, resolve } from 'node:path'
import { defineModel, type Judge } from 'deflector'
import { packaged } from 'deflector/files'
import { z } from 'zod'
import { agree } from './agree.ts'
import { barOf, type Calibration } from './calibration.ts'
import { comparedBy, digestOf, readInstructions, readSettings } from './model-files.ts'
import { type Reader, readPrompt } from './reading.ts'
import { RULES_VERSION } from './rules.ts'

/** The model in the package, relative to its root. */
const BUILT_IN = 'models/deflector-pair'

interface Started {
  readonly calibration: Calibration
  readonly reader: Reader
  readonly fingerprint: string
}

/**
 * Says whether two prompts have the same answer: exact rules for what no model may overlook, and a small cross-encoder for
 * everything else. The main thread only reads prompts; `portable` judges in another process.
 */
export default defineModel({
  name: 'pair',
  summary: 'judges whether two prompts have the same answer; the built-in model needs only onnxruntime-node',
  options: z.strictObject({
    model: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A folder with config, calibration, tokenizer, screen, instructions and weights of a pair model. Default: the built-in model.',
      ),
  }),
  apply({ keep, onStart, log }, options): Judge {
    const folder = options.model === undefined ? packaged(BUILT_IN) : resolve(options.model)
    const kept = keep(`pair:${folder}`, (): { started?: Started } => ({}))
    const started = (): Started => {
      if (!kept.started) throw new Error('the pair model was used before it was started')
      return kept.started
    }
    onStart(async () => {
      if (kept.started) return
      const { config, calibration } = await readSettings(folder)
      const instructions = await readInstructions(folder)
      kept.started = {
        calibration,
        reader: { ...comparedBy(config), areWork: texts => instructions.areWork(texts) },
        fingerprint: `${await digestOf(folder)}-${RULES_VERSION}`,
      }
      log.debug('pair model found', { folder, languages: config.languages })
    })
    // This file is `.ts` in a checkout and `.js` in the package; so is the other.
    const module = new URL(`./open-judge${extname(new URL(import.meta.url).pathname)}`, import.meta.url).href
    return {
      get fingerprint() {
        return kept.started?.fingerprint
      },
      read: (text, before) => readPrompt(text, started().reader, before),
      bar: (entries, falseRequests) => barOf(started().calibration, entries, falseRequests),
      agree,
      portable: { module, options: { folder } },
    }
  },
})
