import type { RouteChoice } from 'deflector'

/** The heads of a routing artifact, as rules name them. */
export const HEADS = ['task_type', 'complexity', 'persona', 'domain'] as const
export type HeadName = (typeof HEADS)[number]

/** Stands for "stays on this machine" in place of a provider. */
export const LOCAL = 'local'
/** Stands for every label of a dimension of the matrix. */
export const DEFAULT = 'default'

/** A rule as the operator writes it. */
export type RuleOptions = { readonly [Head in HeadName]?: string | undefined } & {
  readonly name?: string | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
}

/** Complexity, then task type, then target. */
export type Matrix = Readonly<Record<string, Readonly<Record<string, string>>>>

export type Target = Pick<RuleOptions, 'provider' | 'model'>

export interface Rule {
  readonly name: string
  /** The labels that a prompt must have. */
  readonly when: Readonly<Partial<Record<HeadName, string>>>
  readonly target: Target
}

/** `provider/model`, `provider` or `local`; a model's own name may hold slashes. */
export function targetOf(text: string): Target {
  const slash = text.indexOf('/')
  return slash < 0 ? { provider: text } : { provider: text.slice(0, slash), model: text.slice(slash + 1) }
}

/** The explicit rules in their order, then the matrix from its most specific cells to `default/default`. */
export function compiledRules(rules: readonly RuleOptions[], matrix: Matrix): Rule[] {
  const explicit = rules.map(({ name, provider, model, ...labels }, at): Rule => {
    const when = Object.fromEntries(Object.entries(labels).filter(([, label]) => label !== undefined))
    return { name: name ?? `rule ${at + 1}`, when, target: { provider, model } }
  })
  const cells = Object.entries(matrix).flatMap(([complexity, row]) =>
    Object.entries(row).map(([task_type, target]) => ({
      name: `matrix ${complexity}/${task_type}`,
      when: { ...(complexity !== DEFAULT && { complexity }), ...(task_type !== DEFAULT && { task_type }) },
      target: targetOf(target),
      wildcards: (complexity === DEFAULT ? 2 : 0) + (task_type === DEFAULT ? 1 : 0),
    })),
  )
  // Cells of one rank keep the order of the file.
  const ranked = cells.sort((a, b) => a.wildcards - b.wildcards)
  return [...explicit, ...ranked.map(({ name, when, target }) => ({ name, when, target }))]
}

/** The first rule whose labels are all among these. */
export const ruleFor = (rules: readonly Rule[], labels: Readonly<Record<string, string>>): Rule | undefined =>
  rules.find(({ when }) => Object.entries(when).every(([head, label]) => labels[head] === label))

/** A request before its rule: the provider that would get it, and its model. */
export interface Before {
  readonly provider: string | undefined
  readonly model: string | undefined
}

/**
 * What a rule makes of a request's route. The client's model stays with the provider that would have got it anyway; any
 * other has a model of its own. `routed` is where a client's naming of a model would lead.
 */
export function routeOf(
  { name, target }: Rule,
  before: Before,
  routed: (model: string) => RouteChoice | undefined,
): RouteChoice {
  const { provider, model } = target
  if (provider === LOCAL) return { localRule: `the rule "${name}"` }
  if (provider === undefined) return model === undefined ? {} : leadingTo(model, routed(model))
  const asked = model ?? (provider === before.provider ? before.model : undefined)
  return { provider, ...(asked !== undefined && { model: asked }) }
}

/** A provider's name before a model is no part of the model. It was not the client who named it. */
const leadingTo = (model: string, choice: RouteChoice | undefined): RouteChoice =>
  choice?.provider === undefined ? { model } : { provider: choice.provider, model: choice.model ?? model }

/** Where a rule sends a request, in words: `groq/llama-3`, `groq`, `llama-3`, `local`. */
export const targetText = ({ provider, model }: Target): string =>
  [provider, model].filter(part => part !== undefined).join('/')
