import type { Effort } from './effort.ts'

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
