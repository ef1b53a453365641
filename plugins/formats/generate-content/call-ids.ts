/** How an id begins that we made because the vendor or the client gave none. */
const MADE = 'call_gc_'

/** An id for a call without one. `place` names it inside its conversation, and is the same whenever it is read. */
export const madeId = (place: string): string => MADE + place.replace(/[^\w-]/g, '').slice(0, 50)

/** The fields of a call or of its result that name it. Who gave no id gets none. */
export const idField = (id: string): { readonly id?: string } => (id.startsWith(MADE) ? {} : { id })

/**
 * Ids of the calls in one history. Where the client gave none, a call is named after its place, so that the same history
 * has the same ids on every turn, and a result without one belongs to the first open call of its tool.
 */
export class CallIds {
  #count = 0
  readonly #open: { readonly id: string; readonly name: string }[] = []

  made(given: string | undefined, name: string): string {
    const number = this.#count++
    const id = given || madeId(`${number}_${name}`)
    this.#open.push({ id, name })
    return id
  }

  answered(given: string | undefined, name: string): string {
    const at = this.#open.findIndex(call => (given ? call.id === given : call.name === name))
    const [call] = at < 0 ? [] : this.#open.splice(at, 1)
    return call?.id ?? (given || madeId(name))
  }
}
