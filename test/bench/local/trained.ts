import { readFileSync } from 'node:fs'
import type { Embedder } from 'deflector'
import { type Artifact, type Example, Heads, type Part, partOf, readArtifact } from 'deflector/heads'
import staticModel from '../../../plugins/models/static/index.ts'
import { testHost } from '../../contracts/host.ts'

/** A trained file of the package, and the prompts that it was made of. */
export interface Trained {
  readonly artifact: Artifact
  readonly heads: Heads
  readonly examples: readonly Example[]
}

const text = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')

/** A trained file below the root. */
export const artifactIn = (file: string): Artifact => readArtifact(text(file))

/** The files that the tiers are learnt from, in the order of training. */
const TIER_FILES = ['complex', 'snippet', 'template'].map(tier => `scripts/classifier/tiers/${tier}.jsonl`)
export const TIERS = 'models/deflector-tiers/artifact.json'

export const ROUTING = 'models/deflector-routing/artifact.json'

/** The tiers, with a vector for each prompt. */
export const tiers = (): Promise<Trained> => trained(TIERS, TIER_FILES)

/** The labels of classifier routing, with a vector for each prompt. */
export const routing = (): Promise<Trained> => trained(ROUTING, ['scripts/classifier/routing.jsonl'])

async function trained(file: string, data: readonly string[]): Promise<Trained> {
  const rows = data.flatMap(name =>
    text(name)
      .trimEnd()
      .split('\n')
      .map((line): Record<string, string> => JSON.parse(line)),
  )
  const artifact = artifactIn(file)
  const host = testHost('model')
  const embedder = host.apply(staticModel) as Embedder
  await host.start()
  try {
    const vectors = await embedder.embed(rows.map(({ prompt = '' }) => prompt))
    const examples = rows.map(({ prompt = '', ...labels }, at) => {
      const vector = vectors[at]
      if (!vector) throw new Error('the embedder gave too few vectors')
      return { prompt, vector, labels }
    })
    return { artifact, heads: new Heads(artifact), examples }
  } finally {
    await host.dispose()
  }
}

/** The examples of a part. */
export const partIn = ({ artifact, examples }: Trained, part: Part): readonly Example[] =>
  examples.filter(({ prompt }) => partOf(prompt, artifact.card.seed) === part)

/** The examples of a part, with what the heads say of each. */
export const classified = (of: Trained, part: Part) =>
  partIn(of, part).map(example => ({ example, said: of.heads.classify(example.vector, example.prompt) }))
