import type { Exchange } from './exchange.ts'
import type { ProviderHandle } from './provider.ts'

/** Name of a client's own key in books and logs. */
const LABEL = 'client'

/** The provider as this request may ask it: with the client's own credential, where it is one of this very vendor. */
export function forClient(provider: ProviderHandle, { credentials }: Pick<Exchange, 'credentials'>): ProviderHandle {
  const key = credentials.find(credential => provider.owns?.(credential) === true)
  return key === undefined ? provider : { ...provider, keys: () => [{ key, label: LABEL }] }
}
