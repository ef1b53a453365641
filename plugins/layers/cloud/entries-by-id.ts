import { hash } from 'node:crypto'
import type { HostLog, Store } from 'deflector'
import type { z } from 'zod'

export type Entries = Pick<Store, 'get' | 'set' | 'delete'>

interface Kind<T> {
  /** Parts these entries of the store from others. */
  readonly prefix: string
  readonly schema: z.ZodType<T>
  readonly ttlSecs: number
  /** What is told where the store fails: its subject, and what that means. */
  readonly trouble: readonly [subject: string, message: string]
}

/** What is remembered of things that vendors hold, by their ids. A store that fails makes them unknown, and so does none. */
export class EntriesById<T> {
  readonly #life: { readonly ttlSecs: number; readonly staleSecs: number }

  constructor(
    private readonly store: Entries | undefined,
    private readonly log: HostLog,
    private readonly kind: Kind<T>,
  ) {
    this.#life = { ttlSecs: kind.ttlSecs, staleSecs: 0 }
  }

  async get(id: string): Promise<T | undefined> {
    const entry = await this.#try(store => store.get(this.#keyOf(id)))
    if (!entry?.fresh) return undefined
    try {
      return this.kind.schema.parse(JSON.parse(Buffer.from(entry.value).toString('utf8')))
    } catch {
      return undefined // another program's entry
    }
  }

  async set(id: string, value: T): Promise<void> {
    await this.#try(store => store.set(this.#keyOf(id), Buffer.from(JSON.stringify(value)), this.#life))
  }

  /** Of several who delete an entry, at whatever gateway, it is true for one. */
  async delete(id: string): Promise<boolean> {
    return (await this.#try(store => store.delete(this.#keyOf(id)))) === true
  }

  /** Ids come from clients: hashed they are of one length, and say nothing to whoever reads the store. */
  #keyOf(id: string): string {
    return this.kind.prefix + hash('sha256', id, 'hex')
  }

  async #try<R>(ask: (store: Entries) => Promise<R>): Promise<R | undefined> {
    if (!this.store) return undefined
    try {
      return await ask(this.store)
    } catch (error) {
      const [subject, message] = this.kind.trouble
      this.log.degraded(subject, message, { error: error instanceof Error ? error.message : String(error) })
      return undefined
    }
  }
}
