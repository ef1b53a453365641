import { type Answer, type Host, isProviderError, type ProviderCall, type ProviderKey } from 'deflector'
import { type Credentials, credentials, type StoredCredential } from 'deflector/facets/credentials'

/** Name of a stored credential in books and logs. */
const LABEL = 'stored'

const NONE: readonly ProviderKey[] = []

/** The credential that is stored on this machine for one provider: under its instance name, else under its vendor's. */
export class StoredKeys {
  readonly #sources: ReadonlyMap<string, Credentials>
  readonly #names: readonly string[]
  /** The last one, so that a pool is not made anew for every call. */
  #pool: { readonly of: StoredCredential; readonly keys: readonly ProviderKey[] } | undefined

  constructor(host: Host, vendorNames: readonly string[]) {
    this.#sources = host.offers(credentials)
    this.#names = [host.name, ...vendorNames]
  }

  keys(): readonly ProviderKey[] {
    const of = this.#find()?.found
    if (!of) return NONE
    if (this.#pool?.of !== of) this.#pool = { of, keys: [{ key: of.key, label: LABEL }] }
    return this.#pool.keys
  }

  /** Why there is no key, where one is stored that cannot be read. */
  trouble(): string | undefined {
    if (this.#find()) return undefined
    const isUnreadable = [...this.#sources.values()].some(source => source.isUnreadable?.(this.#names))
    return isUnreadable ? 'the stored credential cannot be read' : undefined
  }

  /** The headers that show this key, where it is a stored one that is not shown as the vendor's keys are. */
  headersFor(key: string): Readonly<Record<string, string>> | undefined {
    const found = this.#find()?.found
    return found?.key === key ? found.headers : undefined
  }

  /** The answer to a call, with the stored credential as it is valid now; asked once more where the vendor refuses it. */
  async answer(call: ProviderCall, ask: (call: ProviderCall) => Promise<Answer>): Promise<Answer> {
    const { source, found } = this.#find() ?? {}
    // Another key is a client's own.
    if (!source || !found || (call.key !== undefined && call.key !== found.key)) return ask(call)
    const current = await call.cancellation.guard(source.current(found))
    try {
      return await ask(withKey(call, current.key))
    } catch (error) {
      if (!isProviderError(error) || error.status !== 401) throw error
      const renewed = await call.cancellation.guard(source.renewed(current))
      if (!renewed) throw error
      return ask(withKey(call, renewed.key))
    }
  }

  #find(): { readonly source: Credentials; readonly found: StoredCredential } | undefined {
    for (const source of this.#sources.values()) {
      const found = source.find(this.#names)
      if (found) return { source, found }
    }
    return undefined
  }
}

const withKey = (call: ProviderCall, key: string): ProviderCall => (call.key === key ? call : new KeyedCall(call, key))

/** The same call with another key. */
class KeyedCall implements ProviderCall {
  readonly prompt: ProviderCall['prompt']
  readonly model: ProviderCall['model']
  readonly stream: boolean
  readonly requestId: string
  readonly headers: ProviderCall['headers']
  readonly cancellation: ProviderCall['cancellation']
  readonly #of: ProviderCall

  constructor(
    of: ProviderCall,
    readonly key: string,
  ) {
    this.prompt = of.prompt
    this.model = of.model
    this.stream = of.stream
    this.requestId = of.requestId
    this.headers = of.headers
    this.cancellation = of.cancellation
    this.#of = of
  }

  get signal(): AbortSignal {
    return this.#of.signal
  }

  note(field: string): void {
    this.#of.note?.(field)
  }
}
