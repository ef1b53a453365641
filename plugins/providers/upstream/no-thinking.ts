import { stepped } from 'deflector'
import { quirksOf } from './model-quirks.ts'
import type { Quirks } from './quirks-schema.ts'
import type { VendorFormat } from './vendor-format.ts'

/**
 * The chat-completions format for a vendor of whose models is known how they are told not to think. `judged` is the model
 * whose rules count, as in `patchesFor`, which puts the word into the vendor's own.
 */
export function withThinkingOff(format: VendorFormat, quirks: Quirks, judged?: string): VendorFormat {
  const { encodePrompt } = format
  return {
    ...format,
    encodePrompt: stepped(function* (chat, target) {
      const run = encodePrompt.steps
      const isKnown = chat.reasoning?.mode === 'off' && canBeTold(quirksOf(quirks, judged ?? target.model))
      const { reasoning, ...others } = chat
      const asked = isKnown || !reasoning ? others : chat
      const body = run ? yield* run(asked, target) : encodePrompt(asked, target)
      return isKnown ? { ...body, reasoning_effort: 'none' } : body
    }),
  }
}

const canBeTold = ({ thinking_switch, efforts, always_thinks, drop_params = [] }: Quirks): boolean =>
  always_thinks !== true &&
  (thinking_switch !== undefined || efforts !== undefined) &&
  !drop_params.includes('reasoning_effort')
