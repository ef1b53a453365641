import { ProviderError, type ProviderReason } from 'deflector'
import type { VendorError } from './failure.ts'

/** Finish reasons by which a vendor says, under status 200, that it did not finish at all. */
const FAILED_FINISH: Readonly<Record<string, ProviderReason>> = {
  insufficient_system_resource: 'overloaded',
  network_error: 'unavailable',
  error: 'unavailable',
}

/** Is this a whole answer in the chat-completions format? Throws for one that says it failed. */
export function isChatAnswer(body: Record<string, unknown>, name: string): boolean {
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined
  if (typeof choice !== 'object' || choice === null) return false
  const finish = 'finish_reason' in choice && typeof choice.finish_reason === 'string' ? choice.finish_reason : ''
  const reason = FAILED_FINISH[finish]
  if (reason !== undefined) throw new ProviderError(reason, `${name} broke off with ${finish}`, { code: finish })
  return 'message' in choice && typeof choice.message === 'object' && choice.message !== null
}

/** Is this a whole answer in the messages format? */
export const isMessage = ({ type, content }: Record<string, unknown>): boolean =>
  type === 'message' && Array.isArray(content)

/** Vendors of the messages format have no code for it. Clients know it by the same words. */
export const isLongMessage = ({ message }: VendorError): boolean => message?.startsWith('prompt is too long') === true

/** Is this a whole answer in the responses format? */
export const isResponse = ({ object, output }: Record<string, unknown>): boolean =>
  object === 'response' || Array.isArray(output)
