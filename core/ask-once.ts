import { Cancellation } from './cancellation.ts'
import type { Answer } from './chat/answer.ts'
import { GatewayError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { forClient } from './for-client.ts'
import type { Clock } from './host.ts'
import type { ProviderHandle, ProviderKey } from './provider.ts'
import { ProviderError } from './provider-error.ts'

export interface Once {
  readonly clock: Clock
  readonly timeoutMs: number
  /** Default: that of the request. */
  readonly model?: string | undefined
  /** Default: the answer is to come whole. */
  readonly stream?: boolean
}

/**
 * One attempt at one provider, with the key that it prefers: for what is not worth a second one, or must not be done
 * twice. It ends when the client leaves, or when it takes too long.
 */
export async function askOnce(
  asked: ProviderHandle,
  exchange: Exchange,
  { clock, timeoutMs, model = exchange.route.model ?? exchange.model, stream = false }: Once,
): Promise<Answer> {
  const provider = forClient(asked, exchange)
  const keys = provider.keys?.()
  const key = keys && preferred(keys)
  if (keys && !key) throw new GatewayError('no_credential', `no credential is configured for ${provider.name}`)
  const cancellation = Cancellation.following(exchange.cancellation)
  const late = new ProviderError('timeout', `no reply within ${timeoutMs / 1000} s`)
  const forget = clock.after(timeoutMs, () => cancellation.cancel(late))
  try {
    return await provider.attempt(exchange, { prompt: exchange.outgoing, model, stream, key, cancellation })
  } finally {
    forget()
  }
}

/** Keys without a priority come last. */
const preferred = (keys: readonly ProviderKey[]): ProviderKey | undefined =>
  keys.toSorted((a, b) => (a.priority ?? Number.MAX_SAFE_INTEGER) - (b.priority ?? Number.MAX_SAFE_INTEGER))[0]
