import { isObject, type JsonObject, type Reasoning, type ReasoningBlock } from 'deflector'
import { z } from 'zod'
import { checked, optional } from '../body.ts'
import { effortOf, effortSchema } from '../effort.ts'

type Proof = Pick<ReasoningBlock, 'signature' | 'redacted' | 'origin'>

const OWN = 'responses'
/** Marks another vendor's proof on its way through a client of this dialect: dialect, signed or redacted, the proof. */
const FOREIGN = /^deflector\.([a-z-]*)\.([sr])\.(.*)$/s

/** Is it a proof that this dialect's vendors did not write? They refuse what they cannot decrypt. */
export const isForeignProof = (encrypted: unknown): boolean => typeof encrypted === 'string' && FOREIGN.test(encrypted)

/** What `encrypted_content` proves. `text` is what the client reads of the reasoning. */
export function decodeProof(encrypted: string | undefined, text: string): Proof {
  if (encrypted === undefined || encrypted === '') return {}
  const [, origin, kind, proof] = FOREIGN.exec(encrypted) ?? []
  if (proof === undefined) return { [text === '' ? 'redacted' : 'signature']: encrypted, origin: OWN }
  return { [kind === 'r' ? 'redacted' : 'signature']: proof, ...(origin && { origin }) }
}

/** The `encrypted_content` for a client, which sends it back with its next request. */
export function encodeProof({ signature, redacted, origin = '' }: Proof): string | undefined {
  const proof = redacted ?? signature
  if (proof === undefined || proof === '') return undefined
  return origin === OWN ? proof : `deflector.${origin}.${redacted === undefined ? 's' : 'r'}.${proof}`
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
  if (origin !== OWN || !encrypted) return undefined
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

/** `reasoning` for a vendor. `off` writes nothing: many models refuse the word. */
export function encodeEffort(reasoning: Reasoning | undefined): JsonObject | undefined {
  if (!reasoning || reasoning.mode === 'off') return undefined
  const { mode, effort, budget } = reasoning
  const word = effort ?? (budget === undefined ? undefined : effortOf(budget))
  // Who asks for thinking as such wants to read it; who names an effort alone asks for none to be shown.
  const shown = mode === 'auto' || budget !== undefined
  if (word === undefined && !shown) return undefined
  return { ...(word !== undefined && { effort: word }), ...(shown && { summary: 'auto' }) }
}
