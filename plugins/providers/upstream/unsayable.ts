import { isObject, type JsonObject, ProviderError } from 'deflector'
import type { Quirks } from './quirks-schema.ts'

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Fields that show in the answer, and which of their values ask for nothing. */
const VISIBLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: value => value === 1,
  logprobs: value => value === false,
  top_logprobs: value => value === 0,
  stop: value => value === '' || isEmpty(value),
  tools: isEmpty,
  functions: isEmpty,
  tool_choice: value => value === 'auto' || value === 'none',
  function_call: value => value === 'auto' || value === 'none',
  modalities: value => Array.isArray(value) && value.every(word => word === 'text'),
  audio: () => false,
}

/** Values of other fields that are what happens anyway. */
const IDLE: Readonly<Record<string, unknown>> = {
  temperature: 1,
  top_p: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  service_tier: 'auto',
  parallel_tool_calls: true,
  store: false,
}

/** Does the field ask for anything but a default? */
export function asksFor(body: JsonObject, field: string): boolean {
  const value = body[field]
  if (value === undefined || value === null) return false
  return VISIBLE[field] ? !VISIBLE[field](value) : value !== IDLE[field]
}

/** Leaving `field` out of this body would change what the client gets: another provider may do it. */
export function refuseIfVisible(body: JsonObject, field: string): void {
  const value = body[field]
  const asksNothing = VISIBLE[field]
  if (asksNothing && value !== undefined && value !== null && !asksNothing(value)) throw unsayable(field)
}

/** Is the choice one that this vendor has no word for, but that leaving it out says as well? Throws for any other. */
export function isNeedlessChoice(choice: unknown, { tool_choices: taken }: Quirks): boolean {
  if (taken === undefined || choice === undefined || choice === null) return false
  const kind = typeof choice === 'string' ? choice : 'named'
  if (taken.some(word => word === kind)) return false
  if (kind === 'auto') return true
  throw unsayable('tool_choice')
}

export function refuseFormat(format: unknown, { response_formats: taken }: Quirks): void {
  const type = isObject(format) ? format.type : undefined
  if (taken && typeof type === 'string' && !taken.some(word => word === type)) throw unsayable('response_format')
}

const unsayable = (field: string): ProviderError =>
  new ProviderError('unsayable', `${field}: the vendor or its model cannot do it`, { param: field })
