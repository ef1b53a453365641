import type { JsonObject, ReasoningBlock } from 'deflector'
import { type Signed, sentBack, unwrap } from '../signature.ts'
import { newDetails, proofOfThought, proofOfWords } from './reasoning-details.ts'

/** Fields of a message or delta by which hosts give and take reasoning. None of them is in the vendor's own format. */
interface ReasoningFields {
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  readonly reasoning_details?: unknown
}

const nonEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Some hosts fill both fields with the same text, so one of them is enough. */
export const reasoningText = (fields: ReasoningFields): string =>
  nonEmpty(fields.reasoning_content) || nonEmpty(fields.reasoning)

/** Whose a signature is, from the detail that it stands in. */
type Attribute = (signature: string, detail: JsonObject) => Signed

/** A vendor's answer holds what that vendor signed, or what its host did for it. */
const byVendor: Attribute = signature => ({ origin: FORMAT, signature })

/** A client sends back what it was given: by us, or by a host that says which vendor signed. */
const byClient: Attribute = (signature, { format }) => {
  const isAnthropics = typeof format === 'string' && format.startsWith('anthropic')
  return unwrap(signature) ?? sentBack(isAnthropics ? 'messages' : FORMAT, signature)
}

const FORMAT = 'chat-completions'

/**
 * Reasoning blocks of a message. A signature stands in `reasoning_details` (OpenRouter's shape, which we write too);
 * one that is marked as another vendor's than Anthropic's proves nothing to anybody we could send it to.
 */
export function decodeReasoning(fields: ReasoningFields, attribute = byVendor): ReasoningBlock[] {
  const text = reasoningText(fields)
  const signed = signedBlocks(fields.reasoning_details, attribute)
  if (signed.length === 0) return text === '' ? [] : [{ type: 'reasoning', text }]
  if (text === '' || signed.some(block => block.text !== '')) return signed
  // A host that gives the words once, beside its details, means them for the first signature.
  const [first, ...rest] = signed
  if (first?.signature === undefined) return [{ type: 'reasoning', text }, ...signed]
  return [{ ...first, text }, ...rest]
}

function signedBlocks(details: unknown, attribute: Attribute): ReasoningBlock[] {
  const blocks: ReasoningBlock[] = []
  let signed = false
  for (const detail of newDetails(details)) {
    if (isForeign(detail)) continue
    const { text, signature, data } = detail
    if (detail.type === 'reasoning.encrypted' && typeof data === 'string') {
      const { origin, signature: redacted } = attribute(data, detail)
      blocks.push({ type: 'reasoning', text: '', redacted, origin })
      signed = true
    } else if (detail.type === 'reasoning.text') {
      const proof = nonEmpty(signature)
      if (proof !== '') signed = true
      const given = proof === '' ? undefined : attribute(proof, detail)
      const thought = given && proofOfThought(given.signature)
      blocks.push({ type: 'reasoning', text: nonEmpty(text), ...given, ...thought })
    }
  }
  return signed ? blocks : []
}

const isForeign = ({ format }: Readonly<Record<string, unknown>>): boolean =>
  typeof format === 'string' && !format.startsWith('anthropic')

/** Reasoning that a client brings back. `after`: proofs of the words beside it, which stand behind those. */
export function decodeSentReasoning(fields: ReasoningFields): {
  readonly before: readonly ReasoningBlock[]
  readonly after: readonly ReasoningBlock[]
} {
  const details = newDetails(fields.reasoning_details)
  const after = details.flatMap(wordsProof)
  if (after.length === 0) return { before: decodeReasoning(fields, byClient), after }
  const others = details.filter(detail => wordsProof(detail).length === 0)
  return { before: decodeReasoning({ ...fields, reasoning_details: others }, byClient), after }
}

function wordsProof(detail: JsonObject): ReasoningBlock[] {
  const { origin, signature } = unwrap(nonEmpty(detail.signature)) ?? {}
  const proof = signature === undefined ? undefined : proofOfWords(signature)
  return origin === undefined || proof === undefined ? [] : [{ type: 'reasoning', text: '', signature: proof, origin }]
}
