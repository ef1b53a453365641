import { isObject, type WritingTask, type WrittenText } from 'deflector'
import { hasOpenFence } from './fences.ts'
import { checkOf } from './schema.ts'

/** Characters; a shorter answer is none. */
const SHORTEST = 10

/** Answers that begin so say that there is none. */
const UNCERTAIN = [
  "i don't know",
  "i'm not sure",
  'i am not sure',
  'i cannot',
  "i can't",
  'as an ai',
  'i am unable',
  "i'm unable",
  'sorry, i',
]

const APOSTROPHES = /[\u2018\u2019\u02bc\u2032\uff07]/g

type Asked = Pick<WritingTask, 'json' | 'schema'>

/** Why an answer of the small model is not given to a client; `undefined` for one that is. */
export function faultOf({ text, finish }: WrittenText, { json, schema }: Asked): string | undefined {
  if (finish === 'length') return 'cut_off'
  const said = text.trim()
  // Characters may take two units each.
  if ([...said.slice(0, 2 * SHORTEST)].length < SHORTEST) return 'short'
  const beginning = said.slice(0, 40).toLowerCase().replace(APOSTROPHES, "'").replace(/\s+/g, ' ')
  if (UNCERTAIN.some(phrase => beginning.startsWith(phrase))) return 'uncertain'
  // Some servers leave a model's reasoning in its answer.
  if (beginning.startsWith('<think>')) return 'reasoning'
  if (!json) return hasOpenFence(said) ? 'open_fence' : undefined
  const value = jsonOf(said)
  const fits = schema ? checkOf(schema) : isObject
  return fits?.(value) ? undefined : 'not_json'
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
