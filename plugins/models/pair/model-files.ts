import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const FILES = {
  config: 'config.json',
  tokenizer: 'tokenizer.json',
  weights: join('onnx', 'model_quantized.onnx'),
  calibration: 'calibration.json',
} as const

const share = z.number().min(0).max(1)

/** Other keys of the file are those of the training and say nothing here. */
const configFile = z.object({
  /** Those that the model was measured to judge well enough. */
  languages: z.array(z.enum(['en', 'de', 'fr', 'es', 'zh'])).default(['en']),
  /** Word pieces of each of the two texts at most, special tokens not counted. */
  max_pieces: z.number().int().positive().default(64),
})

const calibrationFile = z.object({
  temperature: z.number().positive(),
  shift: z.number(),
  /** For caches of so many entries: pairs of a share of wrong hits among all requests, and the least probability of a hit. */
  bars: z
    .array(z.object({ entries: z.number().int().positive(), falseRequests: z.array(z.tuple([share, share])).min(1) }))
    .min(1),
  /** Pairs with less of a feature are refused without asking the model. */
  screen: z
    .object({ shared: share.default(0), contained: share.default(0), length: share.default(0) })
    .default({ shared: 0, contained: 0, length: 0 }),
})

export type Calibration = z.infer<typeof calibrationFile>
type Config = z.infer<typeof configFile>

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

const json = async (folder: string, file: string): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, file), 'utf8'))

/** Settings of the model in a folder. Rejects, as the two below do, with an `Error` that names the remedy. */
export const readSettings = (folder: string): Promise<{ config: Config; calibration: Calibration }> =>
  loaded(folder, async () => ({
    config: configFile.parse(await json(folder, FILES.config)),
    calibration: calibrationFile.parse(await json(folder, FILES.calibration)),
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

export const readWeights = (folder: string): Promise<{ tokenizer: unknown; weights: Uint8Array }> =>
  loaded(folder, async () => ({
    tokenizer: await json(folder, FILES.tokenizer),
    weights: await readFile(join(folder, FILES.weights)),
  }))

/** Above all caches that were measured, the bar rises no higher: no probability is as high as 1. */
const HIGHEST = 0.9999

/**
 * The least probability of a hit for so many entries and such a share of wrong hits, as measured for the next larger cache
 * and the next smaller share. Nothing is likely enough for a share below all that were measured. In a cache larger than all
 * that were measured, each doubling raises the bar by what one did between the largest two, if that is known.
 */
export function barOf({ bars }: Calibration, entries: number, falseRequests: number): number {
  const rows = [...bars].sort((a, b) => a.entries - b.entries)
  const measured = rows.find(one => one.entries >= entries)
  if (measured) return measuredBar(measured, falseRequests)
  const largest = rows.pop()
  if (!largest) return Number.POSITIVE_INFINITY
  const bar = measuredBar(largest, falseRequests)
  const smaller = rows.findLast(one => one.entries < largest.entries)
  const before = smaller ? measuredBar(smaller, falseRequests) : bar
  // Never lower, and `before` may be infinite where the smaller cache was measured for fewer shares.
  if (!smaller || bar <= before) return bar
  const perDoubling = (bar - before) / Math.log2(largest.entries / smaller.entries)
  return Math.max(bar, Math.min(HIGHEST, bar + perDoubling * Math.log2(entries / largest.entries)))
}

type Bars = Calibration['bars'][number]

function measuredBar(row: Bars, falseRequests: number): number {
  const allowed = row.falseRequests.filter(([share]) => share <= falseRequests).map(([, probability]) => probability)
  return allowed.length > 0 ? Math.min(...allowed) : Number.POSITIVE_INFINITY
}
