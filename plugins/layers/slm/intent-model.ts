import type { Writer } from 'deflector'
import type { Classifier } from './classifier.ts'
import type { Conversation } from './conversation.ts'
import type { LocalModel } from './local-model.ts'
import { COMPLEX, instructions, type Mode, tierIn } from './tiers.ts'

/** Characters of the system prompt that are read: it says what the assistant is, at its beginning. */
const SYSTEM_CHARS = 1000
/** Characters of the last message: its beginning, and its end, where a long one often has its question. */
const BEGINNING_CHARS = 3000
const END_CHARS = 1000
/** Enough for the longest label. */
const LABEL_TOKENS = 8

/** Asks a small model for the tier of a request. Anything but a label makes the request COMPLEX. */
export function intentModel({ model, url }: Writer, local: LocalModel, mode: Mode): Classifier {
  const system = instructions(mode)
  return {
    backend: url === undefined ? 'embedded_candle' : 'remote_vllm',
    model,
    url,
    get isDown() {
      return local.isDown
    },
    dispose: () => local.dispose(),
    tooSlow: error => local.tooSlow(error),
    async classify(conversation, _, limit, attributes) {
      const text = subjectOf(conversation)
      attributes?.set('prompt_len', text.length)
      const task = { system, turns: [{ role: 'user', text }], maxTokens: LABEL_TOKENS, temperature: 0 } as const
      const written = await local.write(task, limit)
      if (typeof written === 'string') return written
      const tier = tierIn(written.text, mode)
      if (tier === undefined) return { tier: COMPLEX, complexity: 1, because: 'no_label' }
      return { tier, complexity: tier === COMPLEX ? 1 : 0 }
    },
  }
}

/** The system prompt and the last user message, each cut to what a small model reads quickly. */
function subjectOf({ task: { system = '' }, last }: Conversation): string {
  const message =
    last.length <= BEGINNING_CHARS + END_CHARS
      ? last
      : `${last.slice(0, BEGINNING_CHARS)}\n[...]\n${last.slice(-END_CHARS)}`
  return system === '' ? `Request:\n${message}` : `Setting:\n${system.slice(0, SYSTEM_CHARS)}\n\nRequest:\n${message}`
}
