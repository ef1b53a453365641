import { type GatewayError, toGatewayError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { ProviderHandle } from './provider.ts'
import { ProviderError } from './provider-error.ts'

/**
 * Those of a chain that can do what a request asks for, and the one that it chose, where that is one of the chain. Throws
 * `GatewayError` where the chosen one cannot.
 */
export function servedBy(
  chain: readonly ProviderHandle[],
  { route, prompt: { operation } }: Pick<Exchange, 'route' | 'prompt'>,
): { readonly able: readonly ProviderHandle[]; readonly chosen: ProviderHandle | undefined } {
  const able = chain.filter(({ operations }) => operations.includes(operation))
  const chosen = chain.find(({ name }) => name === route.provider)
  if (chosen && !able.includes(chosen)) throw notServed(chosen.name, operation)
  return { able, chosen }
}

const notServed = (provider: string, operation: string): GatewayError =>
  toGatewayError(
    new ProviderError('unsayable', `${provider}, which "model" chooses, does not serve ${operation}`, {
      param: 'model',
    }),
  )
