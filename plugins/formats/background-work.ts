import { type Exchange, Memo, type Usage } from 'deflector'

/**
 * Work that a vendor goes on with after it has answered. What it takes is told by a later look, maybe at another gateway,
 * so all that is needed to count it then is kept meanwhile.
 */
export interface BackgroundWork {
  readonly provider: string
  readonly model: string | null
  /** Whose it is; `null` where there are no keys. */
  readonly principal: string | null
  /** What was reserved for it and counts until then, by the name of the layer that did, in its own words. */
  readonly reserved: Readonly<Record<string, unknown>>
}

/** What a look was told that such work took, by which it is over. It is told to one exchange alone. */
export interface EndedWork {
  readonly work: BackgroundWork
  readonly usage: Usage
}

const reserved = new Memo<Readonly<Record<string, unknown>>>()

/** Remembers what a layer has reserved for the last attempt of this exchange. */
export const noteReserved = (exchange: Exchange, layer: string, claims: unknown): void =>
  reserved.set(exchange, { ...reserved.of(exchange), [layer]: claims })

export const reservedFor = (exchange: Exchange): Readonly<Record<string, unknown>> => reserved.of(exchange) ?? {}

/** The work that this exchange has begun, by its id, where its client can look it up. */
export const begunWork = new Memo<string>()

/** The work that this exchange was told the end of. */
export const endedWork = new Memo<EndedWork>()
