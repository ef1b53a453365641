import { isObject, type JsonObject } from 'deflector'
import type { Agent, Wrapper } from './agent.ts'
import { AGENTS } from './all.ts'

const SIGNS = AGENTS.map(agent => ({ agent, signs: Object.entries(agent.headers) }))

/** The agent that sends these headers; of two the first in the table. */
export const agentOf = (headers: Readonly<Record<string, string | undefined>>): Agent | undefined =>
  SIGNS.find(({ signs }) => signs.every(([name, shape]) => shape.test(headers[name] ?? '')))?.agent

/** A body without what its agent writes anew with each run. */
export interface Plain {
  readonly body: JsonObject
  /** The texts that were taken out. */
  readonly removed: readonly string[]
}

/** In whatever dialect the body is: all of them name the place of a text by a few words. The body itself never changes. */
export function withoutRunFacts(body: JsonObject, { wrappers = [] }: Agent): Plain {
  const removed: string[] = []
  if (wrappers.length === 0) return { body, removed }
  const clean = (text: string, place: Wrapper['in']): string => {
    let plain = text
    for (const { in: wanted, changes } of wrappers)
      if (wanted === place)
        plain = plain.replace(changes, part => {
          removed.push(part)
          return ''
        })
    return plain
  }
  return { body: cleaned(body, undefined, clean), removed }
}

type Clean = (text: string, place: Wrapper['in']) => string

/** Members that lead to texts. */
const WAYS: ReadonlySet<string> = new Set([
  'messages',
  'contents',
  'input',
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'content',
  'parts',
  'text',
  'output',
])
const SYSTEM: ReadonlySet<string> = new Set(['system', 'instructions', 'systemInstruction', 'system_instruction'])
const OUTPUTS: ReadonlySet<unknown> = new Set(['tool_result', 'function_call_output', 'custom_tool_call_output'])
const ROLES: Readonly<Record<string, Wrapper['in']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  tool: 'tool',
}

/** The same object where nothing is taken out of it. */
function cleaned<T extends JsonObject>(object: T, around: Wrapper['in'] | undefined, clean: Clean): T {
  let copy: JsonObject | undefined
  const place = placeOf(object, around)
  for (const [name, value] of Object.entries(object)) {
    if (!WAYS.has(name)) continue
    const plain = cleanedValue(value, SYSTEM.has(name) ? 'system' : (place ?? fallbackOf(name)), clean)
    if (plain !== value) copy = { ...(copy ?? object), [name]: plain }
  }
  return (copy ?? object) as T // the same members, with other texts
}

function cleanedValue(value: unknown, place: Wrapper['in'] | undefined, clean: Clean): unknown {
  if (typeof value === 'string') return place ? clean(value, place) : value
  if (isObject(value)) return cleaned(value, place, clean)
  if (!Array.isArray(value)) return value
  const items = value.map(item => cleanedValue(item, place, clean))
  return items.some((item, i) => item !== value[i]) ? items : value
}

/** What an object says of the texts in it; a model's own are nobody's. */
function placeOf({ role, type }: JsonObject, around: Wrapper['in'] | undefined): Wrapper['in'] | undefined {
  if (OUTPUTS.has(type)) return 'tool'
  return typeof role === 'string' ? ROLES[role] : around
}

/** A prompt that is one text, and turns without a role, are the user's. */
const fallbackOf = (name: string): Wrapper['in'] | undefined =>
  name === 'input' || name === 'contents' ? 'user' : undefined
