import { type Answer, type Exchange, facet, type Prompt } from 'deflector'

/** What a layer that asks vendors knows of the state that they hold. */
export interface VendorStates {
  /** Can the caller of this exchange refer to `id` at a vendor that the layer asks? */
  reaches(exchange: Exchange, id: string): Promise<boolean>
}

export const vendorStates = facet<VendorStates>('vendor-states')

/** May a cache answer this request, and keep its answer? Not where it is about state that a vendor holds. */
export const isCacheable = ({ state }: Pick<Prompt, 'state'>): boolean =>
  state === undefined || (state.refers.length === 0 && state.essential !== true && state.ends !== true)

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
