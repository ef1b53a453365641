import { type Exchange, GatewayError, type HostLog, type Prompt, type Store } from 'deflector'
import { type Binding, notHeld } from 'deflector/facets/vendor-state'
import { z } from 'zod'
import { EntriesById } from './entries-by-id.ts'

/** Longer ids are no vendor's. */
const LONGEST_ID = 512
/** Ids that are looked up at once. */
const BATCH = 64

const holderSchema = z.compile(z.object({ provider: z.string(), principal: z.string().nullable() }))

/** Who made a piece of state, and at which provider. */
type Holder = z.output<typeof holderSchema>

/**
 * Which provider holds which state, and who may refer to it. A store that fails, or that has let an id go, makes the id
 * unknown. The vendor then says whether there is such a one, unless it could be another principal's.
 */
export class HeldStates {
  readonly #holders: EntriesById<Holder>

  constructor(
    private readonly store: Store | undefined,
    log: HostLog,
    ttlSecs: number,
    /** Do several principals share the vendors' accounts? */
    private readonly several: () => boolean = () => false,
  ) {
    const trouble = ['states', 'the store fails; state at vendors is not found again'] as const
    this.#holders = new EntriesById(store, log, { prefix: 'vendor-state:', schema: holderSchema, ttlSecs, trouble })
  }

  /** See `VendorStates.bindingOf`. What two providers hold parts of is held by neither. */
  async bindingOf({ prompt: { state }, principal }: Exchange): Promise<Binding | undefined> {
    if (state?.lists && principal !== undefined && this.several()) throw shared()
    if (!state || state.refers.length === 0) return undefined
    let provider: string | undefined
    for (const holder of await inBatches(state.refers, id => this.#holders.get(id))) {
      if (!holder) {
        if (this.store && principal !== undefined && this.several()) throw forgotten(state.field)
        continue
      }
      if (holder.principal !== (principal ?? null) || (provider ?? holder.provider) !== holder.provider)
        throw notHeld(state.field)
      provider = holder.provider
    }
    return provider === undefined ? {} : { provider }
  }

  /** Who may refer to it from now on: the first who made it. Ids that the request itself refers to are nobody's news. */
  async remember(
    { prompt: { state }, principal = null }: Remembered,
    provider: string,
    ids: readonly string[],
  ): Promise<void> {
    const fresh = ids.filter(id => id !== '' && id.length <= LONGEST_ID && !state?.refers.includes(id))
    const keep = async (id: string): Promise<void> => {
      const known = await this.#holders.get(id)
      if (known && known.principal !== principal) return
      await this.#holders.set(id, { provider, principal })
    }
    await inBatches(fresh, keep)
  }

  async forget(ids: readonly string[]): Promise<void> {
    await inBatches(ids, id => this.#holders.delete(id))
  }

  /** The provider at which this principal can refer to `id`. */
  async providerOf(id: string, principal: string | undefined): Promise<string | undefined> {
    const holder = await this.#holders.get(id)
    return holder?.principal === (principal ?? null) ? holder.provider : undefined
  }
}

type Remembered = { readonly prompt: Pick<Prompt, 'state'>; readonly principal?: string | null | undefined }

/** Whose it is was known until a restart, or for its time; now it could be anybody's. */
const forgotten = (field: string) =>
  notHeld(
    field,
    'it is not remembered whose this id is, and there are several gateway keys; make it anew, and set exact_cache.provider = redis so that it is remembered over restarts',
  )

/** Cursors of a list are ids, too: with the others' entries taken out a client could not page through its own. */
const shared = () =>
  new GatewayError(
    'forbidden',
    'this list would show what all gateway keys have made with one vendor key; ask for each by its id, or give each of them a gateway of its own',
  )

/** All of them, as one that nobody looked at could be another principal's; each once, and not all at the same time. */
async function inBatches<T>(ids: readonly string[], run: (id: string) => Promise<T>): Promise<T[]> {
  const each = [...new Set(ids)]
  const results: T[] = []
  for (let at = 0; at < each.length; at += BATCH)
    results.push(...(await Promise.all(each.slice(at, at + BATCH).map(run))))
  return results
}
