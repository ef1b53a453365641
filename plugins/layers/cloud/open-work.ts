import { type Attempt, type AttemptOutcome, type Exchange, type HostLog, Memo, type VendorWork } from 'deflector'
import { type BackgroundWork, begunWork, endedWork, reservedFor } from 'deflector/formats/background-work'
import { isPlausible, isTold } from 'deflector/formats/call-usage'
import { z } from 'zod'
import { type Entries, EntriesById } from './entries-by-id.ts'

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
  readonly #entries: EntriesById<BackgroundWork>

  constructor(store: Entries | undefined, log: HostLog, ttlSecs: number) {
    const trouble = ['work', 'the store fails; what work in the background took counts as it was reserved'] as const
    this.#entries = new EntriesById(store, log, { prefix: 'vendor-work-', schema, ttlSecs, trouble })
  }

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

  /** A look at `id`, which is read only where there is open work of this caller. */
  async looked(exchange: Exchange, id: string, read: () => Promise<VendorWork | undefined>): Promise<void> {
    const work = await this.#entries.get(id)
    if (work?.principal !== (exchange.principal ?? null)) return
    const told = await read()
    if (told?.id !== id || !told.usage || !isPlausible(told.usage)) return
    if (await this.#entries.delete(id)) endedWork.set(exchange, { work, usage: told.usage })
  }

  /** Nobody can be told any more. */
  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#entries.delete(id)
  }

  async #begin(exchange: Exchange, id: string): Promise<void> {
    const { provider, model, told } = this.#attempts.of(exchange) ?? {}
    // What was told by the end of the attempt is counted already.
    if (provider === undefined || told) return
    await this.#entries.set(id, {
      provider,
      model: model ?? exchange.model ?? null,
      principal: exchange.principal ?? null,
      reserved: reservedFor(exchange),
    })
  }
}
