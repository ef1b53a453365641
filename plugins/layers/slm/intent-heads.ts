import { basename, dirname, resolve } from 'node:path'
import type { EmbedderHandle } from 'deflector'
import { packaged } from 'deflector/files'
import { fingerprintOf, openHeads } from 'deflector/heads'
import type { Classifier } from './classifier.ts'
import { type Without, withoutBy } from './local-model.ts'
import type { SlmOptions } from './options.ts'
import { COMPLEX, type Mode, tierNamed } from './tiers.ts'

/** The trained file in the package, relative to its root. */
const BUILT_IN = 'models/deflector-tiers/artifact.json'

/** Tells the tier of a request by a trained head over its vector, without any server. */
export async function intentHeads(
  embedder: EmbedderHandle,
  { heads_path, mode, confidence_threshold }: Pick<SlmOptions, 'heads_path' | 'mode' | 'confidence_threshold'>,
): Promise<Classifier> {
  const file = heads_path === '' ? packaged(BUILT_IN) : resolve(heads_path)
  const { heads, head } = await headsIn(file, embedder, mode)
  return {
    backend: 'embedded_candle',
    model: basename(dirname(file)),
    isDown: false,
    dispose: () => {},
    async classify({ last }, exchange, limit, attributes) {
      attributes?.set('prompt_len', last.length)
      let vector: Float32Array
      try {
        vector = await limit.guard(embedder.embedFor(exchange, last, limit))
      } catch (error) {
        return withoutBy(error, limit) satisfies Without
      }
      const found = heads.classify(vector, last).heads[head]
      const { label = COMPLEX, probabilities = {} } = found ?? {}
      const complexity = probabilities[COMPLEX] ?? 1
      // The simple tiers count together: which of them it is changes nothing.
      if (label !== COMPLEX && 1 - complexity < confidence_threshold)
        return { tier: COMPLEX, complexity, because: 'unsure' }
      return { tier: tierNamed(label, mode), complexity }
    },
  }
}

/** The heads of a file, and the name of the one that tells tiers. Throws an `Error` that names the remedy. */
async function headsIn(file: string, embedder: EmbedderHandle, mode: Mode) {
  const failed = (why: string): Error =>
    new Error(
      `the classifier of the small model, ${file}, cannot be used: ${why}. Train one with "deflector classifier train", ` +
        'set slm_router.heads_path, or set slm_router.classifier to "model"',
    )
  try {
    const { heads, embedder: wanted } = await openHeads(file)
    const fingerprint = fingerprintOf(embedder)
    if (wanted !== fingerprint)
      throw new Error(`it was trained with the embedder ${wanted}, and this one is ${fingerprint}`)
    const [[head, labels] = ['', []], ...others] = Object.entries(heads.labels)
    if (others.length > 0) throw new Error(`it has the heads ${Object.keys(heads.labels).join(', ')}, and needs one`)
    if (!labels.includes(COMPLEX)) throw new Error(`its head "${head}" has no label ${COMPLEX}`)
    for (const label of labels) tierNamed(label, mode)
    return { heads, head }
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error))
  }
}
