import { CHAT, type Exchange, forClient, type ProviderHandle, servedBy } from 'deflector'
import type { KeyOwner } from './key-pool.ts'

/** A provider in the order to be asked, and the model to ask it for. */
export interface Candidate extends KeyOwner {
  readonly provider: ProviderHandle
  readonly model: string | undefined
  /** The request chose it: what it cannot say is refused, and not asked of another vendor. */
  readonly chosen?: boolean
}

/**
 * The providers in the order to be asked, the route's choice first, and the model for each. The client's name of a model
 * belongs to one of them; any other gets its own. That is one that chats: of another operation every provider is asked
 * for the client's model, as vectors of two models do not mix.
 */
export function candidatesOf(chain: readonly ProviderHandle[], exchange: Exchange): Candidate[] {
  const { model, prompt, credentials } = exchange
  const { operation, endpoint } = prompt
  const route = named(chain, exchange)
  const providers = credentials.length === 0 ? chain : chain.map(provider => forClient(provider, exchange))
  // The primary is the first that can do what is asked: it may be another one for each operation.
  const { able, chosen } = servedBy(providers, { route, prompt })
  // A route that overrides the model leaves the client's name with the primary; else it is one of the chosen vendor's.
  const isTheirs = chosen !== undefined && route.model === model
  const modelFor = (provider: ProviderHandle): string | undefined => {
    const own = endpoint === undefined ? provider.model : undefined
    if (provider === chosen) return route.model ?? own ?? model
    if (isTheirs) return own
    if (provider === able[0]) return (chosen ? undefined : route.model) ?? model ?? own
    return operation === CHAT ? (own ?? model) : (model ?? own)
  }
  const candidate = (provider: ProviderHandle): Candidate => {
    const isChosen = provider === chosen
    return { name: provider.name, provider, model: modelFor(provider), endpoint, ...(isChosen && { chosen: true }) }
  }
  if (!chosen) return able.map(candidate)
  const others = operation === CHAT ? able.filter(provider => provider !== chosen).map(candidate) : []
  // A model's name is not sent to another vendor than its own: after a failure each other one needs a model of its own.
  const isAskable = (other: Candidate): boolean => !isTheirs || other.model !== undefined || model === undefined
  return [candidate(chosen), ...others.filter(isAskable)]
}

/** The route with the provider that the request names, which the primary's leaves out: its cache entries go by no name. */
function named([primary]: readonly ProviderHandle[], { route, model }: Exchange): Exchange['route'] {
  if (!route.named || route.provider !== undefined || !primary) return route
  return { ...route, provider: primary.name, ...(model !== undefined && { model }) }
}
