import { fact, words } from '../analysis.ts'
import type { Guard } from './guard.ts'

/** `how do I` asks for a way, `how should I` for advice, `how do we` for others' way, `is there a way to` if there is one. */
export const howTo: Guard = (a, b) => {
  const [left, right] = [way(a), way(b)]
  return left === undefined || right === undefined || left === right ? undefined : 'way'
}

const ADVICE = new Set('should shall must ought'.split(' '))
const HELPERS = new Set('do can could would might may will'.split(' '))

/** The first way that is asked for, wherever it stands: `can you tell me how to`. */
const way = fact((analysis): 'any' | 'we' | 'advice' | 'whether' | undefined => {
  const text = words(analysis)
  const at = text.indexOf('how')
  if (at === -1)
    return /^(?:is|are) there (?:a |an |any |some )*ways?\b/.test(text.slice(0, 6).join(' ')) ? 'whether' : undefined
  const [helper = '', doer = ''] = text.slice(at + 1, at + 3)
  if (helper === 'to') return 'any'
  if (ADVICE.has(helper)) return 'advice'
  if (!HELPERS.has(helper)) return undefined
  return doer === 'we' ? 'we' : doer === 'i' ? 'any' : undefined
})
