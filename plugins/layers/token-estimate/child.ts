import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { FromChild, ToChild } from './messages.ts'
import { manageable } from './pieces.ts'

/** A process of its own: its vocabulary takes a third of a second to load, and some texts take as long to count. */

/** Text that looks like a special token is text. */
const PLAIN = { disallowedSpecial: new Set<string>() }

const counts = new Map<number, number>()

process.on('message', (message: ToChild) => {
  const { id } = message
  const before = counts.get(id) ?? 0
  if ('done' in message) {
    counts.delete(id)
    process.send?.({ id, tokens: before } satisfies FromChild)
    return
  }
  let tokens = before
  for (const piece of manageable(message.text)) tokens += countTokens(piece, PLAIN)
  counts.set(id, tokens)
})
