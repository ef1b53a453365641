import { type LoadedSettings, loadSettings } from '../../../config/load.ts'
import { maskSecret } from '../../../config/mask.ts'
import { providerNames } from '../../../config/provider-names.ts'
import { knownProvider } from './known-provider.ts'
import { withStore } from './open-store.ts'
import { readSecret } from './secret-input.ts'

export interface SetKeyOptions {
  readonly provider: string
  readonly key?: string
  readonly keyFile?: string
}

/** `deflector set-key`: stores the key of a provider, encrypted. A running gateway uses it from its next request on. */
export async function setKey({ provider, key, keyFile }: SetKeyOptions): Promise<void> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env })
  const { name } = await knownProvider(provider, loaded)
  await storePasted(name, loaded, { key, keyFile })
}

/** Stores a key that a person pastes. */
export async function storePasted(
  name: string,
  loaded: LoadedSettings,
  given: { readonly key?: string | undefined; readonly keyFile?: string | undefined },
): Promise<void> {
  const secret = await readSecret({ question: `key of ${name} (it is not shown): `, ...given })
  const place = await withStore(loaded, async store => {
    await store.set(name, { kind: 'key', key: secret, stored_at: Date.now() })
    return store.masterKeyPlace()
  })
  process.stdout.write(
    `stored: the key of ${name} (${maskSecret(secret)}), encrypted with the master key in ${place}\n`,
  )
  if (isConfigured(name, loaded))
    process.stderr.write(`deflector: warning: the settings give ${name} a key, and that one is used\n`)
}

/** Has this provider a key in the settings, which come first? */
function isConfigured(name: string, { values }: LoadedSettings): boolean {
  const at = providerNames(values).indexOf(name)
  if (at < 0) return false
  const { api_key, provider_keys } =
    at === 0
      ? { api_key: values.external_llm_api_key, provider_keys: values.provider_keys }
      : (values.fallback_providers[at - 1] ?? {})
  return Boolean(api_key) || (provider_keys ?? []).length > 0
}
