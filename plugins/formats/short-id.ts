import { createHash } from 'node:crypto'

/** What OpenAI takes of a chat as a call's id: https://github.com/openclaw/openclaw/pull/875 */
export const CHAT_ID_LIMIT = 40

/**
 * A call's id within the length that a vendor takes. A longer one becomes a hash, always the same, so that a call and its
 * result still meet, and a cached prefix stays the same on every turn.
 */
export const shortId = (id: string, longest: number): string =>
  id.length <= longest ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 35)}`
