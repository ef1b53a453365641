import type { Embedder } from 'deflector'
import { z } from 'zod'
import { StaticModel } from './static-model.ts'

const optionsSchema = z.object({ folder: z.string() })

/** The model of a folder, for another process. Throws an `Error` that names file and fault. */
export function open(options: unknown): Pick<Embedder, 'embed' | 'dimensions'> {
  const model = StaticModel.open(optionsSchema.parse(options).folder)
  return { dimensions: model.dimensions, embed: async texts => texts.map(text => model.embed(text)) }
}
