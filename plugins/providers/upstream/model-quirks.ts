import QuickLRU from 'quick-lru'
import type { Quirks } from './quirks-schema.ts'

/** Models of one vendor whose differences are kept ready; clients name what they like. */
const MODELS = 500

const ready = new WeakMap<Quirks, QuickLRU<string, Quirks>>()

/** A vendor's differences as they are for one of its models: of several rules the last one counts, and lists add up. */
export function quirksOf(quirks: Quirks, model: string): Quirks {
  if (quirks.model_rules === undefined) return quirks
  const models = ready.get(quirks) ?? new QuickLRU<string, Quirks>({ maxSize: MODELS })
  ready.set(quirks, models)
  const own = models.get(model) ?? withRules(quirks, model)
  models.set(model, own)
  return own
}

function withRules(quirks: Quirks, model: string): Quirks {
  const rules = [quirks, ...(quirks.model_rules ?? []).filter(({ match }) => new RegExp(match).test(model))]
  const all = (list: 'drop_params' | 'drop_when_reasoning' | 'drop_message_fields'): string[] =>
    rules.flatMap(rule => rule[list] ?? [])
  let merged: Quirks = {}
  for (const rule of rules) merged = { ...merged, ...rule }
  return {
    ...merged,
    drop_params: all('drop_params'),
    drop_when_reasoning: all('drop_when_reasoning'),
    drop_message_fields: all('drop_message_fields'),
  }
}
