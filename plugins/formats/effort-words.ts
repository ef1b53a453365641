import type { Reasoning } from 'deflector'
import type { Effort } from './effort.ts'

/**
 * Models of OpenAI's formats that do not reason, however a host spells their names (`openai/gpt-4.1`). They refuse an
 * effort, a verbosity, and what others have reasoned. From the vendor's model pages, as of November 2026.
 */
export const UNREASONING = /^(?:openai\/)?(?:ft:)?(?:gpt-(?:3\.?5|4)|chatgpt-4o|gpt-5-chat)/

/**
 * The word by which a model of OpenAI's formats is told not to think, or as little as it can. Others refuse each such
 * word. From the vendors' model pages, as of November 2026; first match wins.
 */
const WORDS: readonly (readonly [RegExp, 'none' | Effort | undefined])[] = [
  [/^gpt-5.*(?:chat|codex|pro)/, undefined],
  [/^gpt-5\.[1-9]/, 'none'],
  [/^gpt-5(?!\.)/, 'minimal'],
  [/^grok-4\.3/, 'none'],
]

/** However a host spells the name of the model (`openai/gpt-5.4`). */
export function leastEffort(model: string): 'none' | Effort | undefined {
  const name = model.toLowerCase().replace(/^.*\//, '')
  return WORDS.find(([pattern]) => pattern.test(name))?.[1]
}

/** Is the model known not to reason? */
export const cannotReason = (model: string): boolean => UNREASONING.test(model.toLowerCase())

/** Is it told not to reason, which it does not do anyway? */
export const isOffAnyway = (reasoning: Reasoning | undefined, model: string): boolean =>
  reasoning?.mode === 'off' && cannotReason(model)
