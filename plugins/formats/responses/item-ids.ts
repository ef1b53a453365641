import type { JsonObject, ReplyFacts } from 'deflector'

/** Our own reasoning items. A vendor that meets one without its proof would look for it in vain. */
const OWN_REASONING = 'rs_deflector'

export const isOwnReasoning = (id: unknown): boolean => typeof id === 'string' && id.startsWith(OWN_REASONING)

/** A reference to such an item: clients that expect every answer to be kept send it in place of the item. */
export const refersToOwn = (item: JsonObject): boolean => isReference(item) && isOwnReasoning(item.id)

/** Members that say of an item what it is, and nothing of what is in it. */
const ABOUT = new Set(['type', 'id', 'status'])
/** What a request goes on with: a picture, or what is to be approved. Of a search nothing is needed any more. */
const GONE_ON_WITH: ReadonlySet<unknown> = new Set([undefined, 'image_generation_call', 'mcp_approval_request'])

/**
 * Does an id stand for the whole item, which the vendor has? That is so in an `item_reference`, and in some items that
 * nothing else is said of: `{ "type": "image_generation_call", "id": "ig_1" }` is the picture to go on with.
 */
export function isReference(item: JsonObject): boolean {
  const { type, role } = item
  if (type === 'item_reference') return true
  if (!GONE_ON_WITH.has(type) || role !== undefined) return false
  for (const name in item) if (!ABOUT.has(name) && !isEmpty(item[name])) return false
  return true
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

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
