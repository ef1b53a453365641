import type { Chat, JsonObject, Reasoning } from 'deflector'
import { z } from 'zod'
import { optional } from '../body.ts'
import { type Effort, effortOf, effortSchema } from '../effort.ts'
import { fields } from './fields.ts'
import type { ModelRules } from './model-rules.ts'

const thinking = z.looseObject({
  thinkingBudget: optional(z.number()),
  thinkingLevel: optional(z.string()),
  includeThoughts: optional(z.boolean()),
})

/** `thinkingConfig` as a wish; `undefined` when the client said nothing. */
export function readReasoning(value: unknown, at: string): Reasoning | undefined {
  if (value === undefined || value === null) return undefined
  const { thinkingBudget: budget, thinkingLevel, includeThoughts } = fields(thinking, value, at)
  const effort = effortSchema.safeParse(thinkingLevel?.toLowerCase()).data
  if (effort) return { mode: 'on', effort }
  if (budget === 0) return { mode: 'off' }
  if (budget !== undefined && budget > 0) return { mode: 'on', budget }
  // -1 leaves it to the model, and to see thoughts is to want some.
  return budget !== undefined || includeThoughts ? { mode: 'auto' } : undefined
}

/** Share of the output cap that an effort may think, for models that want a number. */
const SHARE: Readonly<Record<Effort, number>> = {
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.9,
  max: 1,
}
/** The cap where the client names none: what these models write at most. */
const CAP = 65_536

/** `thinkingConfig` in the words that this model takes; `undefined` leaves all to the model. */
export function writeReasoning(
  { reasoning, maxOutput = CAP }: Pick<Chat, 'reasoning' | 'maxOutput'>,
  { thinking: kind, budget: range, levels = [] }: ModelRules,
): JsonObject | undefined {
  if (!reasoning || kind === 'none') return undefined
  const { mode, effort, budget } = reasoning
  if (range) {
    if (mode === 'off') return { thinkingBudget: range.off }
    const asked = budget ?? (effort && Math.floor(maxOutput * SHARE[effort]))
    const thinkingBudget = asked === undefined ? -1 : Math.min(range.most, Math.max(range.least, asked))
    return { thinkingBudget, includeThoughts: true }
  }
  // These models cannot be kept from thinking.
  if (mode === 'off') return { thinkingLevel: levels[0] }
  const wanted = effort ?? (budget === undefined ? undefined : effortOf(budget))
  return { ...(wanted && { thinkingLevel: levelOf(wanted, levels) }), includeThoughts: true }
}

/** The word itself, or the nearest that the model knows. */
function levelOf(effort: Effort, levels: readonly string[]): string | undefined {
  if (levels.includes(effort)) return effort
  return effort === 'minimal' ? levels[0] : levels.at(-1)
}
