import type { JsonObject, ReplyFacts } from 'deflector'

/** Our own reasoning items. A vendor that meets one without its proof would look for it in vain. */
const OWN_REASONING = 'rs_deflector'

export const isOwnReasoning = (id: unknown): boolean => typeof id === 'string' && id.startsWith(OWN_REASONING)

/** A reference to such an item: clients that expect every answer to be kept send it in place of the item. */
export const refersToOwn = ({ type, role, id }: JsonObject): boolean =>
  (type === 'item_reference' || (type === undefined && role === undefined)) && isOwnReasoning(id)

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
