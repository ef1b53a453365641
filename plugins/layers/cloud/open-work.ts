import { hash } from 'node:crypto'
import {
  type Attempt,
  type AttemptOutcome,
  type Exchange,
  type HostLog,
  Memo,
  type Store,
  type VendorWork,
} from 'deflector'
import { type BackgroundWork, begunWork, endedWork, reservedFor } from 'deflector/formats/background-work'
import { isPlausible, isTold } from 'deflector/formats/call-usage'
import { z } from 'zod'

type Entries = Pick<Store, 'get' | 'set' | 'delete'>

/** Parts these entries of the store from others. */
const PREFIX = 'vendor-work-'

const schema = z.object({
  provider: z.string(),
  model: z.string().nullable(),
  principal: z.string().nullable(),
  reserved: z.record(z.string(), z.unknown()),
})

/**
 * Work that goes on at vendors and of which nobody has been told what it takes. Its entry is there until one look is told,
 * and the one who deletes it counts it: of several, at whatever gateway, that is one alone. What a store has lost is
 * counted as it was reserved.
 */
export class OpenWork {
  readonly #attempts = new Memo<Pick<Attempt, 'provider' | 'model'> & { readonly told: boolean }>()

  constructor(
    private readonly store: Entries | undefined,
    private readonly log: HostLog,
    private readonly ttlSecs: number,
  ) {}

  /** An attempt is over. The work of a stream that broke off goes on. */
  attempted(exchange: Exchange, attempt: Attempt, outcome: AttemptOutcome): void {
    if (!exchange.prompt.state?.goesOn) return
    const { provider, model } = attempt
    this.#attempts.set(exchange, { provider, model, told: isTold(attempt, outcome) })
    const id = begunWork.of(exchange)
    if (id !== undefined) void this.#begin(exchange, id)
  }

  /** The first events of a stream tell which work it begins; its last one may tell what that took. */
  streams(exchange: Exchange, { id, usage }: VendorWork): void {
    if (!usage && begunWork.of(exchange) === undefined) begunWork.set(exchange, id)
  }

  /** A whole answer tells that work goes on. */
  async answered(exchange: Exchange, { id, usage }: VendorWork): Promise<void> {
    if (usage) return
    begunWork.set(exchange, id)
    await this.#begin(exchange, id)
  }

  /** Is there work of this id, whose end this caller may be told? */
  async isOpen({ principal }: Exchange, id: string): Promise<boolean> {
    return (await this.#find(id))?.principal === (principal ?? null)
  }

  /** A look tells of work. */
  async looked(exchange: Exchange, { id, usage }: VendorWork): Promise<void> {
    if (!usage || !isPlausible(usage)) return
    const work = await this.#find(id)
    if (work && (await this.#try(store => store.delete(keyOf(id))))) endedWork.set(exchange, { work, usage })
  }

  /** Nobody can be told any more. */
  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#try(store => store.delete(keyOf(id)))
  }

  async #begin(exchange: Exchange, id: string): Promise<void> {
    const { provider, model, told } = this.#attempts.of(exchange) ?? {}
    // What was told by the end of the attempt is counted already.
    if (provider === undefined || told) return
    const work: BackgroundWork = {
      provider,
      model: model ?? exchange.model ?? null,
      principal: exchange.principal ?? null,
      reserved: reservedFor(exchange),
    }
    const life = { ttlSecs: this.ttlSecs, staleSecs: 0 }
    await this.#try(store => store.set(keyOf(id), Buffer.from(JSON.stringify(work)), life))
  }

  async #find(id: string): Promise<BackgroundWork | undefined> {
    const entry = await this.#try(store => store.get(keyOf(id)))
    if (!entry?.fresh) return undefined
    try {
      return schema.parse(JSON.parse(Buffer.from(entry.value).toString('utf8')))
    } catch {
      return undefined // another program's entry
    }
  }

  async #try<T>(ask: (store: Entries) => Promise<T>): Promise<T | undefined> {
    if (!this.store) return undefined
    try {
      return await ask(this.store)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.log.degraded('work', 'the store fails; what work in the background took counts as it was reserved', {
        error: reason,
      })
      return undefined
    }
  }
}

/** See `HeldStates`. */
const keyOf = (id: string): string => PREFIX + hash('sha256', id, 'hex')
