import type { ReplyFacts } from 'deflector'

/** The ids of one answer's items, fresh with each delivery. */
export class ItemIds {
  readonly #reply: ReplyFacts
  #count = 0

  constructor(reply: ReplyFacts) {
    this.#reply = reply
  }

  next(prefix: 'msg' | 'rs' | 'fc' | 'ctc'): string {
    return `${prefix}_${this.#reply.id}_${this.#count++}`
  }
}
