import type { ReplyFacts } from 'deflector'

/** Our own reasoning items. A vendor that meets one without its proof would look for it in vain. */
const OWN_REASONING = 'rs_deflector'

export const isOwnReasoning = (id: unknown): boolean => typeof id === 'string' && id.startsWith(OWN_REASONING)

/** The ids of one answer's items, fresh with each delivery. */
export class ItemIds {
  readonly #reply: ReplyFacts
  #count = 0

  constructor(reply: ReplyFacts) {
    this.#reply = reply
  }

  next(prefix: 'msg' | 'rs' | 'fc' | 'ctc'): string {
    return `${prefix === 'rs' ? OWN_REASONING : prefix}_${this.#reply.id}_${this.#count++}`
  }
}
