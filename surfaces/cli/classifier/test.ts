import { readFile } from 'node:fs/promises'
import { type Artifact, figuresOf, Heads, partOf, readArtifact } from 'deflector/heads'
import { CommandError } from '../failure.ts'
import { readExamples } from './examples.ts'
import { figureLines, routingLine } from './figure-lines.ts'
import { vectorsOf } from './vectors.ts'
import { inWorkshop } from './workshop.ts'

export interface TestCommandOptions {
  readonly input: readonly string[]
  readonly artifact: string
  readonly heldOut?: boolean
}

/** `deflector classifier test`: what an artifact makes of labelled prompts. */
export async function test({ input, artifact: file, heldOut }: TestCommandOptions): Promise<void> {
  const artifact = await artifactIn(file)
  const heads = new Heads(artifact)
  const { examples: all } = await readExamples(input, { heads: Object.keys(heads.labels), labels: heads.labels })
  const { seed } = artifact.card
  const examples = heldOut ? all.filter(({ prompt }) => partOf(prompt, seed) === 'held_out') : all
  if (examples.length === 0)
    throw new CommandError(`${input.join(', ')}: none of the examples was held out by the training (seed ${seed})`)
  const labelled = await inWorkshop({ classifying: false }, async ({ embedder, fingerprint }) => {
    if (fingerprint === artifact.embedder) return vectorsOf(embedder, examples)
    throw new CommandError(
      `${file}: it was made for the embedder ${artifact.embedder}, and that of the settings is ${fingerprint}`,
    )
  })
  const lines = [
    `${file}: ${examples.length} examples`,
    '',
    ...figureLines(figuresOf(heads, labelled), artifact.heads),
    ...routingLine(heads, labelled),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function artifactIn(file: string): Promise<Artifact> {
  try {
    return readArtifact(await readFile(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${file}: ${error instanceof Error ? error.message : error}`)
  }
}
