/** What a family of models takes and refuses. From the vendor's model pages, as of November 2026. */
export interface ModelRules {
  /** Largest `max_tokens`; absent when we do not know the model. */
  readonly maxOutput?: number
  /** `adaptive`: the model decides, guided by an effort. `budget`: it wants a number of tokens. `none`: it cannot think. */
  readonly thinking: 'adaptive' | 'budget' | 'none'
  /** Takes a budget beside `adaptive`, too. */
  readonly takesBudget?: boolean
  /** Refuses every temperature but 1, `top_p` and `top_k`. */
  readonly rejectsSampling?: boolean
  /** Refuses `temperature` beside `top_p`, and either beside thinking. */
  readonly oneSampling?: boolean
  /** Refuses a conversation that ends with an assistant turn. */
  readonly rejectsPrefill?: boolean
  /** Thinks unless told not to. */
  readonly thinksByDefault?: boolean
  /** Refuses `thinking: {type: disabled}`. */
  readonly refusesDisabled?: boolean
  /** The strongest effort while thinking is off, where the vendor limits it. */
  readonly effortWhenOff?: 'high'
  /** Knows the effort `xhigh`; else `max` is meant. */
  readonly xhigh?: boolean
  /** Takes `output_config.format` and strict tools. */
  readonly structured: boolean
}

const newest = {
  maxOutput: 128_000,
  thinking: 'adaptive',
  rejectsSampling: true,
  oneSampling: true,
  rejectsPrefill: true,
  xhigh: true,
  structured: true,
} as const satisfies ModelRules
const older = { thinking: 'budget', oneSampling: true, structured: false } as const satisfies ModelRules

/** First match wins. */
const RULES: readonly (readonly [RegExp, ModelRules])[] = [
  [/claude-opus-5/, { ...newest, effortWhenOff: 'high' }],
  [/claude-sonnet-5-5/, { ...newest, thinksByDefault: true, refusesDisabled: true }],
  [/claude-sonnet-5/, { ...newest, thinksByDefault: true }],
  [/claude-(opus-4-[78]|fable-5)/, newest],
  [/claude-(opus|sonnet)-4-6/, { ...newest, takesBudget: true, rejectsSampling: false, xhigh: false }],
  [/claude-(opus|sonnet|haiku)-4-5/, { ...older, maxOutput: 64_000, structured: true }],
  [/claude-opus-4/, { ...older, maxOutput: 32_000 }],
  [/claude-sonnet-4/, { ...older, maxOutput: 64_000 }],
  [/claude-3/, { ...older, maxOutput: 4096, thinking: 'none', oneSampling: false }],
  // A newer id than we know: the newest rules.
  [/claude-/, newest],
]

/** Other vendors offer this format too; they are asked for as little as possible. */
const UNKNOWN: ModelRules = { thinking: 'budget', structured: true }

/** The rules of a model, however a host spells its name (`us.anthropic.claude-…`, `anthropic/claude-sonnet-4.5`). */
export const modelRules = (model: string): ModelRules => knownRules(model) ?? UNKNOWN

/** The same for the models that we know. */
export function knownRules(model: string): ModelRules | undefined {
  const name = model.toLowerCase().replaceAll('.', '-')
  return RULES.find(([pattern]) => pattern.test(name))?.[1]
}
