import { access, constants, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { artifactText, Heads, partOf, trainHeads } from 'deflector/heads'
import { CommandError } from '../failure.ts'
import { readExamples } from './examples.ts'
import { figureLines, routingLine } from './figure-lines.ts'
import { vectorsOf } from './vectors.ts'
import { inWorkshop } from './workshop.ts'

export interface TrainCommandOptions {
  readonly input: readonly string[]
  readonly output: string
  readonly seed: string
  readonly heads?: string
}

/** `deflector classifier train`: an artifact from labelled prompts, and what the held-out part says of it. */
export async function train({ input, output, seed: given, heads: named }: TrainCommandOptions): Promise<void> {
  const seed = given.trim() === '' ? Number.NaN : Number(given)
  if (!Number.isSafeInteger(seed)) throw new CommandError(`--seed ${given || '""'}: must be a whole number`)
  const wanted = named?.split(',').map(name => name.trim())
  if (wanted?.includes('')) throw new CommandError(`--heads ${named || '""'}: a name is blank; give names with commas`)
  const { heads, examples } = await readExamples(input, { heads: wanted })
  await checkWritable(output)
  const { artifact, labelled } = await inWorkshop({ classifying: false }, async ({ embedder, fingerprint }) => {
    const labelled = await vectorsOf(embedder, examples)
    try {
      return { artifact: trainHeads(labelled, { seed, embedder: fingerprint }), labelled }
    } catch (error) {
      throw new CommandError(`${input.join(', ')}: ${error instanceof Error ? error.message : error}`)
    }
  })
  await writeFile(output, artifactText(artifact)).catch(error => refuse(output, error))
  const { examples: counts, held_out } = artifact.card
  const lines = [
    `${output}: heads ${heads.join(', ')}; seed ${seed}`,
    `${counts.train} examples for the weights, ${counts.calibration} for the temperatures, ${counts.held_out} held out`,
    '',
    ...figureLines(held_out, artifact.heads),
    ...routingLine(
      new Heads(artifact),
      labelled.filter(({ prompt }) => partOf(prompt, seed) === 'held_out'),
    ),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Before the training, which takes long. Nothing is written. */
async function checkWritable(output: string): Promise<void> {
  const there = await stat(output).catch(() => undefined)
  if (there?.isDirectory()) refuse(output, 'it is a folder')
  await access(there ? output : dirname(output), constants.W_OK).catch(error => refuse(output, error))
}

function refuse(output: string, error: unknown): never {
  throw new CommandError(`${output}: cannot be written (${error instanceof Error ? error.message : error})`)
}
