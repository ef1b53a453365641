import { type Fitting, isObject, type JsonObject } from 'deflector'
import { exactJson } from '../exact-json.ts'
import { camel } from './fields.ts'
import { knownRules } from './model-rules.ts'
import { readReasoning, writeReasoning } from './reasoning.ts'

const CONFIGS = ['generationConfig', 'generation_config'] as const
const THINKING = ['thinkingConfig', 'thinking_config'] as const

/**
 * How to think, in a body that was written for another model, in the words that this one takes: some want a number of
 * tokens, others a level, and the first ones refuse both. Whether thoughts are shown is left as it is.
 */
export function forModel(body: JsonObject, model: string): Fitting | undefined {
  const rules = knownRules(model)
  const name = CONFIGS.find(one => isObject(body[one]))
  const config = name && body[name]
  const own = isObject(config) ? THINKING.find(one => isObject(config[one])) : undefined
  if (!rules || name === undefined || own === undefined || !isObject(config) || !isObject(config[own])) return undefined
  const path = [name, own]
  const reasoning = readReasoning(config[own], path.join('.'))
  if (rules.thinking === 'none')
    return { parts: [path], omitted: reasoning && reasoning.mode !== 'off' ? [path.join('.')] : [] }
  const { thinkingBudget, thinkingLevel, ...shown } = camel(config[own])
  // Neither a number nor a word: nothing that one model has and another one has not.
  if (!reasoning || (thinkingBudget === undefined && thinkingLevel === undefined)) return undefined
  const { maxOutputTokens: most } = camel(config)
  const cap = typeof most === 'number' ? { maxOutput: most } : {}
  const { includeThoughts: _, ...words } = writeReasoning({ reasoning, ...cap }, rules) ?? {}
  if (words.thinkingBudget === thinkingBudget && isSameLevel(words.thinkingLevel, thinkingLevel)) return undefined
  return { parts: [], replaced: [{ path, text: exactJson({ ...words, ...shown }) }], omitted: [] }
}

const isSameLevel = (one: unknown, other: unknown): boolean => String(one).toLowerCase() === String(other).toLowerCase()
