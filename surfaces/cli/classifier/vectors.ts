import type { Example } from 'deflector/heads'
import type { EmbedderHandle } from '../../../core/model.ts'
import type { LabelledPrompt } from './examples.ts'

/** Texts for one call: an embedding server takes only so many. */
const BATCH = 32

/** The prompts with their vectors. */
export async function vectorsOf(embedder: EmbedderHandle, examples: readonly LabelledPrompt[]): Promise<Example[]> {
  const labelled: Example[] = []
  for (let at = 0; at < examples.length; at += BATCH) {
    const batch = examples.slice(at, at + BATCH)
    const vectors = await embedder.embed(batch.map(({ prompt }) => prompt))
    batch.forEach((example, place) => {
      const vector = vectors[place]
      if (!vector) throw new Error('the embedder gave too few vectors')
      labelled.push({ ...example, vector })
    })
  }
  return labelled
}
