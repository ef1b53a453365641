import { isObject, type JsonObject, type Reasoning, type ReasoningBlock } from 'deflector'
import { z } from 'zod'
import { checked, optional } from '../body.ts'
import { effortOf, effortSchema } from '../effort.ts'
import { cannotReason, leastEffort } from '../effort-words.ts'
import { isOwn, sentBack, shownTo } from '../signature.ts'

type Proof = Pick<ReasoningBlock, 'signature' | 'redacted' | 'origin'>

const OWN = 'responses'

/** What `encrypted_content` proves. `text` is what the client reads of the reasoning. */
export function decodeProof(encrypted: string | undefined, text: string): Proof {
  if (encrypted === undefined || encrypted === '') return {}
  const { origin, signature } = sentBack(OWN, encrypted)
  if (origin === OWN) return { [text === '' ? 'redacted' : 'signature']: signature, origin }
  const [, kind, proof = signature] = FOREIGN.exec(signature) ?? []
  return { [kind === 'r' ? 'redacted' : 'signature']: proof, origin }
}

/** Another vendor's proof says whether it is of reasoning that can be read, or is itself the reasoning. */
const FOREIGN = /^([sr]):(.*)$/s

/** The `encrypted_content` for a client, which sends it back with its next request. */
export function encodeProof({ signature, redacted, origin = OWN }: Proof): string | undefined {
  const proof = redacted ?? signature
  if (proof === undefined || proof === '') return undefined
  return origin === OWN ? proof : shownTo(OWN, `${redacted === undefined ? 's' : 'r'}:${proof}`, origin)
}

const parts = optional(z.array(z.looseObject({ text: optional(z.string()) })))
const item = z.compile(z.looseObject({ summary: parts, content: parts, encrypted_content: optional(z.string()) }))

/** A reasoning item. Open models show their reasoning itself, others a summary of it. */
export function decodeReasoning(value: JsonObject, at = ''): ReasoningBlock {
  const { summary = [], content = [], encrypted_content } = checked(item, value, at)
  const shown = summary.length > 0 ? summary : content
  const text = shown.flatMap(part => part.text ?? []).join(BETWEEN)
  return { type: 'reasoning', text, ...decodeProof(encrypted_content, text) }
}

/** Between two parts of a summary. */
export const BETWEEN = '\n\n'

/** What of a history's reasoning this dialect's vendors can read: their own. */
export function encodeReasoning(block: ReasoningBlock): JsonObject | undefined {
  const { text, signature, redacted, origin } = block
  const encrypted = redacted ?? signature
  if (!isOwn(OWN, encrypted, origin)) return undefined
  return { type: 'reasoning', summary: summaryOf(text), encrypted_content: encrypted }
}

export const summaryOf = (text: string): JsonObject[] => (text === '' ? [] : [{ type: 'summary_text', text }])

/** `reasoning.effort`; a word that we do not know is a vendor's newest, and nothing to translate. */
export function decodeEffort(asked: unknown): Reasoning | undefined {
  const word = isObject(asked) ? asked.effort : undefined
  if (word === 'none') return { mode: 'off' }
  const effort = word === undefined ? undefined : effortSchema.safeParse(word).data
  return effort && { mode: 'on', effort }
}

/** `reasoning` for a vendor. `off` writes nothing to a model that would refuse the word. */
export function encodeEffort(reasoning: Reasoning | undefined, model: string): JsonObject | undefined {
  if (!reasoning || cannotReason(model)) return undefined
  if (reasoning.mode === 'off') {
    const least = leastEffort(model)
    return least && { effort: least }
  }
  const { mode, effort, budget } = reasoning
  const word = effort ?? (budget === undefined ? undefined : effortOf(budget))
  // Who asks for thinking as such wants to read it; who names an effort alone asks for none to be shown.
  const shown = mode === 'auto' || budget !== undefined
  if (word === undefined && !shown) return undefined
  return { ...(word !== undefined && { effort: word }), ...(shown && { summary: 'auto' }) }
}
