import { type Fitting, isObject, type JsonObject, type JsonPath, type Reasoning } from 'deflector'
import { badRequest } from '../body.ts'
import { isBrokenLoop, needsThinking } from './foreign.ts'
import { knownRules, type ModelRules } from './model-rules.ts'
import { adaptiveEffort, planThinking, readEffort, readReasoning, type ThinkingPlan } from './reasoning.ts'

/** What of a body changes together. */
interface Edit extends Partial<Omit<Fitting, 'fields'>> {
  /** Values, not yet as JSON text. */
  readonly set?: JsonObject
}

/** What the edits are made of. */
interface Asked {
  readonly body: JsonObject
  /** `output_config`. */
  readonly config: JsonObject
  /** What `thinking` says; `undefined` where the client says nothing. */
  readonly reasoning: Reasoning | undefined
  readonly forced: boolean
  readonly rules: ModelRules
  readonly plan: ThinkingPlan
}

/**
 * What has to change in a body that was written for another model, by the rules that a translated one follows: the cap,
 * how the model is asked to think, sampling, a forced tool, the beginning of an answer.
 */
export function forModel(body: JsonObject, model: string): Fitting | undefined {
  const rules = knownRules(model)
  if (!rules) return undefined
  const asked = askedIn(body, rules)
  const edits = [cap, thinking, effort, sampling, choice, prefill].map(edit => edit(asked))
  if (!rules.structured) edits.push(strictness(asked, model))
  const set: JsonObject = Object.assign({}, ...edits.map(edit => edit.set ?? {}))
  const parts = edits.flatMap(edit => edit.parts ?? [])
  const replaced = edits.flatMap(edit => edit.replaced ?? [])
  if (Object.keys(set).length + parts.length + replaced.length === 0) return undefined
  const fields = Object.fromEntries(Object.entries(set).map(([name, value]) => [name, JSON.stringify(value)]))
  return { parts, replaced, fields, omitted: edits.flatMap(edit => edit.omitted ?? []) }
}

function askedIn(body: JsonObject, rules: ModelRules): Asked {
  const config = isObject(body.output_config) ? body.output_config : {}
  const reasoning = isGiven(body.thinking) ? readReasoning(body.thinking, config.effort) : undefined
  const forced = isForced(body)
  const most = rules.maxOutput ?? Number.POSITIVE_INFINITY
  const maxTokens = typeof body.max_tokens === 'number' ? Math.min(body.max_tokens, most) : most
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : []
  const plan = planThinking(reasoning, { rules, maxTokens, forced, brokenLoop: isBrokenLoop(messages) })
  const { budget_tokens: budget } = isObject(body.thinking) ? body.thinking : {}
  const keepsBudget = rules.takesBudget && reasoning?.mode === 'on' && plan.thinks && budget !== undefined
  return { body, config, reasoning, forced, rules, plan: keepsBudget ? withBudgetOf(plan, budget) : plan }
}

/** The client's own number, and no word beside it that would replace it. */
const withBudgetOf = ({ maxTokens }: ThinkingPlan, budget: unknown): ThinkingPlan => ({
  maxTokens,
  thinks: true,
  thinking: { type: 'enabled', budget_tokens: budget },
})

const cap = ({ body, plan: { maxTokens } }: Asked): Edit =>
  typeof body.max_tokens !== 'number' || body.max_tokens === maxTokens ? {} : { set: { max_tokens: maxTokens } }

function thinking({ body, reasoning, plan }: Asked): Edit {
  const given = isObject(body.thinking) ? body.thinking : {}
  const wants = reasoning !== undefined && reasoning.mode !== 'off'
  const isLost = reasoning !== undefined && wants !== plan.thinks
  const omitted = isLost ? ['thinking'] : []
  const parts = plan.thinks ? [] : needsThinking(body)
  // Where there is no word for it, it is off anyway.
  if (!plan.thinking) return wants || isLost ? { set: { thinking: undefined }, parts, omitted } : {}
  const { type, budget_tokens } = plan.thinking
  if (given.type === type && given.budget_tokens === budget_tokens) return {}
  const shown = plan.thinks && given.display !== undefined ? { display: given.display } : {}
  return { set: { thinking: { ...plan.thinking, ...shown } }, parts, omitted }
}

function effort(asked: Asked): Edit {
  const { body, config, plan } = asked
  const given = config.effort ?? undefined
  const word = effortFor(asked)
  if (word === given) return {}
  const path = ['output_config', 'effort']
  if (word !== undefined) {
    if (given === undefined) return { set: { output_config: { ...config, effort: word } } }
    return { replaced: [{ path, text: JSON.stringify(word) }] }
  }
  const isAlone = Object.keys(config).length === 1
  // A budget says it, too.
  const omitted = plan.thinking ? [] : ['output_config.effort']
  return isObject(body.output_config) && isAlone
    ? { set: { output_config: undefined }, omitted }
    : { parts: [path], omitted }
}

function effortFor({ config, reasoning, rules, plan }: Asked): unknown {
  if (rules.thinking !== 'adaptive') return undefined
  const word = readEffort(config.effort)
  // A word that we do not know is the vendor's newest.
  if (isGiven(config.effort) && word === undefined) return config.effort
  if (reasoning && plan.thinking?.type !== 'enabled') return plan.effort
  return word && adaptiveEffort({ effort: word }, rules)
}

const SAMPLING = { temperature: 1, top_p: 1, top_k: undefined } as const

function sampling({ body, rules, plan }: Asked): Edit {
  const names = Object.keys(SAMPLING).filter(name => name in body) as (keyof typeof SAMPLING)[]
  const refused =
    rules.rejectsSampling || (plan.thinks && rules.oneSampling)
      ? names
      : names.filter(name => name === 'top_p' && rules.oneSampling && isGiven(body.temperature))
  return {
    set: Object.fromEntries(refused.map(name => [name, undefined])),
    omitted: refused.filter(name => isGiven(body[name]) && body[name] !== SAMPLING[name]),
  }
}

/** A model that is going to think cannot be forced. */
function choice({ body, forced, plan }: Asked): Edit {
  if (!forced || !plan.thinks || !isObject(body.tool_choice)) return {}
  const { disable_parallel_tool_use: serial } = body.tool_choice
  const tool_choice = { type: 'auto', ...(serial !== undefined && { disable_parallel_tool_use: serial }) }
  return { set: { tool_choice }, omitted: ['tool_choice'] }
}

function prefill({ body, rules, plan }: Asked): Edit {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : []
  const last = messages.at(-1)
  if (messages.length < 2 || !isObject(last) || last.role !== 'assistant') return {}
  if (!rules.rejectsPrefill && !plan.thinks) return {}
  return { parts: [['messages', messages.length - 1]], omitted: ['messages[-1]'] }
}

function strictness({ body, config }: Asked, model: string): Edit {
  if (isObject(config.format)) throw badRequest('response_format', `${model} cannot be held to a JSON schema`)
  const tools: unknown[] = Array.isArray(body.tools) ? body.tools : []
  const parts: JsonPath[] = [...tools.keys()].filter(at => isStrict(tools[at])).map(at => ['tools', at, 'strict'])
  return parts.length === 0 ? {} : { parts, omitted: ['tools.strict'] }
}

const isStrict = (tool: unknown): boolean => isObject(tool) && tool.strict === true

function isForced({ tools, tool_choice: chosen }: JsonObject): boolean {
  const hasTools = Array.isArray(tools) && tools.length > 0
  return hasTools && isObject(chosen) && (chosen.type === 'any' || chosen.type === 'tool')
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null
