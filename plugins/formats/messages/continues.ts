import type { Prompt } from 'deflector'
import { modelRules } from './model-rules.ts'

/**
 * Does the vendor document that this model goes on with the assistant's text at the end of a conversation? Its models
 * before 4.6 do: not while they think, and not behind white space.
 */
export function continuesAnswer({ chat }: Prompt, model = ''): boolean {
  if (!/claude-/i.test(model) || modelRules(model).rejectsPrefill === true) return false
  const last = chat.turns.at(-1)?.blocks.at(-1)
  const thinks = chat.reasoning !== undefined && chat.reasoning.mode !== 'off'
  return !thinks && chat.responseFormat === undefined && last?.type === 'text' && last.text === last.text.trimEnd()
}
