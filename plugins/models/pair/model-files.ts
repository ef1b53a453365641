import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type Calibration, calibrationFile } from './calibration.ts'
import { Instructions, instructionsFile } from './instructions.ts'
import type { Compared } from './reading.ts'
import { Screen } from './screen.ts'

const FILES = {
  config: 'config.json',
  tokenizer: 'tokenizer.json',
  weights: join('onnx', 'model_quantized.onnx'),
  calibration: 'calibration.json',
  screen: 'screen.bin',
  instructions: 'instructions.json',
} as const

/** Other keys of the file are those of the training and say nothing here. */
const configFile = z.object({
  /** Those that the model was measured to judge well enough. */
  languages: z.array(z.enum(['en', 'de', 'fr', 'es', 'zh'])).default(['en']),
  /** Word pieces of each of the two texts at most, special tokens not counted. */
  max_pieces: z.number().int().positive().default(64),
})

type Config = z.infer<typeof configFile>

export const comparedBy = ({ languages, max_pieces }: Config): Compared => ({
  languages: new Set(languages),
  maxPieces: max_pieces,
})

async function loaded<T>(folder: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new Error(
      `the pair model in ${folder} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}. Reinstall ` +
        'deflector, name another folder as `model`, or set cache_mode to "exact", which needs no model',
      { cause },
    )
  }
}

async function json(folder: string, file: string): Promise<unknown> {
  const text = await readFile(join(folder, file), 'utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${file} is no JSON`, { cause })
  }
}

async function parsed<T>(folder: string, file: string, schema: z.ZodType<T>): Promise<T> {
  const { data, error } = schema.safeParse(await json(folder, file))
  if (data === undefined) throw new Error(`${file}: ${error?.issues.map(problem).join('; ')}`)
  return data
}

const problem = ({ path, message }: z.core.$ZodIssue): string => `${path.join('.') || 'all of it'}: ${message}`

/** Settings of the model in a folder. Rejects, as the two below do, with an `Error` that names the remedy. */
export const readSettings = (folder: string): Promise<{ config: Config; calibration: Calibration }> =>
  loaded(folder, async () => ({
    config: await parsed(folder, FILES.config, configFile),
    calibration: await parsed(folder, FILES.calibration, calibrationFile),
  }))

/** Equal files have equal digests: 16 hex digits. */
export const digestOf = (folder: string): Promise<string> =>
  loaded(folder, async () => {
    const hash = createHash('sha256')
    // In pieces, because the weights are megabytes and other requests are served meanwhile.
    for (const file of Object.values(FILES))
      for await (const piece of createReadStream(join(folder, file))) hash.update(piece)
    return hash.digest('hex').slice(0, 16)
  })

export const readTokenizer = (folder: string): Promise<unknown> => loaded(folder, () => json(folder, FILES.tokenizer))

export const readScreen = (folder: string): Promise<Screen> =>
  loaded(folder, async () => new Screen(await readFile(join(folder, FILES.screen))))

export const readInstructions = (folder: string): Promise<Instructions> =>
  loaded(
    folder,
    async () =>
      new Instructions(await json(folder, FILES.tokenizer), await parsed(folder, FILES.instructions, instructionsFile)),
  )

export const weightsOf = (folder: string): string => join(folder, FILES.weights)
