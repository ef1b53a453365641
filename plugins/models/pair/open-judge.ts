import type { Verdict, Verdicts } from 'deflector'
import QuickLRU from 'quick-lru'
import { z } from 'zod'
import { probabilityOf } from './calibration.ts'
import { comparedBy, readScreen, readSettings, readTokenizer, weightsOf } from './model-files.ts'
import { refusalOf } from './rules.ts'
import { openWeights } from './runtime.ts'
import { type Side, Sides } from './sides.ts'

/** What another process is handed. */
const judgeOptions = z.strictObject({ folder: z.string().min(1) })

/** Prompts that stay read, a few kilobytes each: one is compared with several, and some are near to many. */
const KNOWN = 500

/**
 * The judge for whatever process wants one: exact rules, then the screen, then the model, one pair a run, because rows of
 * one batch would change each other's numbers. Rejects with an `Error` that names the remedy.
 */
export async function open(options: unknown): Promise<Verdicts> {
  const { folder } = judgeOptions.parse(options)
  const { config, calibration } = await readSettings(folder)
  const sides = new Sides(await readTokenizer(folder), comparedBy(config))
  const screen = await readScreen(folder)
  const logit = await openWeights(weightsOf(folder))
  const known = new QuickLRU<string, Side>({ maxSize: KNOWN })
  const read = (text: string): Side => {
    const side = known.get(text) ?? sides.read(text)
    known.set(text, side)
    return side
  }

  const compare = async (one: Side, other: Side): Promise<Verdict> => {
    if ('refused' in one) return no(one.refused)
    if ('refused' in other) return no(other.refused)
    const reason = refusalOf(one.facts, other.facts)
    if (reason !== undefined) return no(reason)
    const likeness = sides.likeness(one, other)
    const guess = screen.probability(one.pieces, other.pieces, likeness)
    if (guess < screen.least) return { probability: guess }
    const { ids, types } = sides.input(one, other)
    return { probability: probabilityOf(await logit(ids, types), likeness, calibration) }
  }
  return {
    async judge(asked, stored) {
      const mine = read(asked)
      const verdicts: Verdict[] = []
      for (const text of stored) verdicts.push(await compare(mine, read(text)))
      return verdicts
    },
  }
}

const no = (reason: string): Verdict => ({ probability: 0, reason })
