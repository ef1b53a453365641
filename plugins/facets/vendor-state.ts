import { type Answer, type Exchange, facet, GatewayError, type Prompt } from 'deflector'

/** The provider, by instance name, that a request is bound to. */
export interface Binding {
  readonly provider?: string
}

/** What a layer that asks vendors knows of the state that they hold. */
export interface VendorStates {
  /**
   * Where a request has to go because of what it refers to: `provider` is absent where nothing is remembered of it.
   * `undefined` for a request that refers to nothing. Throws the 404 of its dialect where it refers to another's,
   * and 403 where it would list what others made.
   */
  bindingOf(exchange: Exchange): Promise<Binding | undefined>
  /** The answer of a request that is about state, once what it made is remembered, and what it deleted forgotten. */
  settled(exchange: Exchange, answer: Answer): Promise<Answer>
  /** Can the caller of this exchange refer to `id` at a vendor that the layer asks? */
  reaches(exchange: Exchange, id: string): Promise<boolean>
}

export const vendorStates = facet<VendorStates>('vendor-states')

/** See `VendorStates.settled`; for the same layers. */
export async function settledBy(
  exchange: Exchange,
  answer: Answer,
  offers: ReadonlyMap<string, VendorStates>,
): Promise<Answer> {
  let settled = answer
  for (const states of offers.values()) settled = await states.settled(exchange, settled)
  return settled
}

/** The request refers to what its sender cannot have, or to what no provider of ours holds any more. */
export const notHeld = (field: string, why = 'nothing of this id is held for you'): GatewayError =>
  new GatewayError('vendor_refused', `${field}: ${why}`, {
    param: field,
    vendor: { status: 404, class: 'not_found' },
  })

/** May a cache answer this request, and keep its answer? Not where it is about state that a vendor holds, or has it act. */
export const isCacheable = ({ state }: Pick<Prompt, 'state'>): boolean =>
  state === undefined || (state.refers.length === 0 && !OF_ONE_CALL.some(fact => state[fact] === true))

const OF_ONE_CALL = ['essential', 'starts', 'once', 'ends'] as const

/** May a cache give this answer again? One that a vendor holds only while its client can still refer to it. */
export async function isStillHeld(
  answer: Answer,
  exchange: Exchange,
  offers: ReadonlyMap<string, VendorStates>,
): Promise<boolean> {
  if (answer.kind !== 'whole' || !answer.facts.held) return true
  const { id } = answer.completion
  for (const states of offers.values()) if (await states.reaches(exchange, id)) return true
  return false
}

/** See `VendorStates.bindingOf`; for layers that ask vendors without knowing of state themselves. */
export async function boundBy(
  exchange: Exchange,
  offers: ReadonlyMap<string, VendorStates>,
): Promise<Binding | undefined> {
  for (const states of offers.values()) {
    const binding = await states.bindingOf(exchange)
    if (binding) return binding
  }
  return undefined
}
