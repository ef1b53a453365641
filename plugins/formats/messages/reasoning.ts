import type { Chat, JsonObject, Reasoning } from 'deflector'
import { z } from 'zod'
import { checked, optional } from '../body.ts'
import { type Effort, effortOf, effortSchema } from '../effort.ts'
import type { ModelRules } from './model-rules.ts'

/** The vendor's smallest budget for thinking. */
const LEAST = 1024
/** Share of the output cap that an effort may think, for models that want a number. */
const SHARE: Readonly<Record<Effort, number>> = { minimal: 0, low: 0.1, medium: 0.3, high: 0.6, xhigh: 0.9, max: 0.9 }

const thinking = z.looseObject({ type: z.string(), budget_tokens: optional(z.number().int().nonnegative()) })
const effort = effortSchema.optional().catch(undefined)

/** `output_config.effort`; `undefined` for a word that we do not know. */
export const readEffort = (asked: unknown): Effort | undefined => effort.parse(asked)

/** `thinking` and `output_config.effort` as one wish; `undefined` when the client said nothing. */
export function readReasoning(asked: unknown, askedEffort: unknown): Reasoning | undefined {
  const level = readEffort(askedEffort)
  const rest = level === undefined ? {} : { effort: level }
  if (asked === undefined || asked === null) return level && { mode: 'auto', ...rest }
  const { type, budget_tokens: budget } = checked(thinking, asked, 'thinking')
  if (type === 'disabled') return { mode: 'off', ...rest }
  if (type === 'enabled') return { mode: 'on', ...rest, ...(budget !== undefined && { budget }) }
  return { mode: 'auto', ...rest }
}

export interface ThinkingPlan {
  readonly maxTokens: number
  /** May the model think in this call? Sampling settings and a forced tool then go away. */
  readonly thinks: boolean
  readonly thinking?: JsonObject
  readonly effort?: string
}

interface Circumstances {
  readonly rules: ModelRules
  readonly maxTokens: number
  /** The client forces a tool, which no thinking model accepts. */
  readonly forced: boolean
  /** The last assistant turn waits for its results, and its reasoning is not here in a form that the vendor takes. */
  readonly brokenLoop: boolean
}

/** What is asked of the model about thinking, in the words that this model takes. */
export function planThinking(
  reasoning: Chat['reasoning'],
  { rules, maxTokens, forced, brokenLoop }: Circumstances,
): ThinkingPlan {
  const quiet = { maxTokens, thinks: false }
  if (rules.thinking === 'none') return quiet
  const off = reasoning?.mode === 'off'
  if (rules.thinking === 'budget') {
    // These models want a tool loop to begin with the reasoning that led to it; an adaptive one does without.
    if (!reasoning || off || forced || brokenLoop) return quiet
    return withBudget(reasoning, rules, maxTokens)
  }
  const level = reasoning && adaptiveEffort(reasoning, rules)
  const effort = level === undefined ? {} : { effort: level }
  if (off || (forced && (reasoning || rules.thinksByDefault))) {
    if (rules.refusesDisabled) return { maxTokens, thinks: true, ...(off ? { effort: level ?? 'low' } : effort) }
    const limited = rules.effortWhenOff && (level === 'xhigh' || level === 'max') ? rules.effortWhenOff : level
    return { ...quiet, thinking: { type: 'disabled' }, ...(limited !== undefined && { effort: limited }) }
  }
  if (!reasoning) return { maxTokens, thinks: rules.thinksByDefault ?? false }
  return { maxTokens, thinks: true, thinking: { type: 'adaptive' }, ...effort }
}

/** The word for how hard an adaptive model thinks. */
export function adaptiveEffort({ effort, budget }: Omit<Reasoning, 'mode'>, rules: ModelRules): string | undefined {
  if (effort === undefined) {
    return budget === undefined ? undefined : effortOf(budget)
  }
  if (effort === 'minimal') return 'low'
  return effort === 'xhigh' && !rules.xhigh ? 'max' : effort
}

/** A budget must stay below `max_tokens`, so a large one raises it, as far as the model goes. */
function withBudget({ effort, budget }: Reasoning, rules: ModelRules, maxTokens: number): ThinkingPlan {
  const share = Math.floor(maxTokens * SHARE[effort ?? 'medium'])
  const wanted = Math.max(LEAST, budget ?? share)
  const cap = rules.maxOutput ?? Number.POSITIVE_INFINITY
  const raised = wanted < maxTokens ? maxTokens : Math.min(cap, wanted + maxTokens)
  const tokens = Math.min(wanted, raised - 1)
  if (tokens < LEAST) return { maxTokens, thinks: false }
  return { maxTokens: raised, thinks: true, thinking: { type: 'enabled', budget_tokens: tokens } }
}
