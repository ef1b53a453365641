import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Embedder } from 'deflector'
import { artifactText, type Example, trainHeads } from 'deflector/heads'
import { tempFolder } from './opened.ts'

/** What the made-up embedder tells texts apart by; a text has one label of each head in it. */
const LABELS = {
  task_type: ['codegen', 'review'],
  complexity: ['simple', 'complex'],
  persona: ['developer', 'analyst'],
  domain: ['backend', 'data'],
} as const

const FINGERPRINT = 'made-up'

/** An axis for each head: one label points up, the other down. A text without labels lies in between. */
export function vectorOf(text: string): Float32Array {
  const axes = Object.values(LABELS).map(([up, down]) => (text.includes(up) ? 0.5 : text.includes(down) ? -0.5 : 0))
  return Float32Array.from(axes)
}

export const madeUpEmbedder = (): Embedder => ({
  dimensions: 4,
  fingerprint: FINGERPRINT,
  embed: async texts => texts.map(vectorOf),
})

/** Every seventh is labelled wrongly, so that no head is ever quite sure. */
const examples = Array.from({ length: 160 }, (_, number): Example => {
  const labelsOf = (bits: number): Record<string, string> =>
    Object.fromEntries(Object.entries(LABELS).map(([head, names], bit) => [head, names[(bits >> bit) & 1] ?? '']))
  const prompt = `${number}: ${Object.values(labelsOf(number)).join(' ')}`
  return { prompt, labels: labelsOf(number % 7 === 0 ? ~number : number), vector: vectorOf(prompt) }
})

/** An artifact for that embedder. */
export const routingArtifact = trainHeads(examples, { seed: 1, embedder: FINGERPRINT })

/** Its file. */
export function artifactPath(text = artifactText(routingArtifact)): string {
  const file = join(tempFolder('routing'), 'artifact.json')
  writeFileSync(file, text)
  return file
}
