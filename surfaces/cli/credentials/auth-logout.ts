import { AuthorityAway, CredentialError, type CredentialStore, signIns, type Token } from 'deflector/credentials'
import { loadSettings } from '../../../config/load.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import { CommandError } from '../failure.ts'
import { knownProvider } from './known-provider.ts'
import { withStore } from './open-store.ts'

/** `deflector auth logout <provider>`: removes what is stored, and ends it at the vendor where that has an endpoint. */
export async function authLogout(provider: string): Promise<void> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env })
  await withStore(loaded, async store => {
    const names = await store.names()
    const known = names.includes(provider)
      ? provider
      : await knownProvider(provider, loaded, [...signIns.keys()]).then(({ name }) => name)
    if (!names.includes(known))
      throw new CommandError(
        `nothing is stored for ${known}${didYouMean(provider, names) || '; see "deflector auth status"'}`,
      )
    const token = await tokenIn(store, known)
    await store.remove(known)
    process.stdout.write(`removed: the credential of ${known}\n`)
    if (token) await endAtVendor(token)
  })
}

/** What cannot be decrypted is removed all the same. */
async function tokenIn(store: CredentialStore, name: string): Promise<Token | undefined> {
  try {
    const stored = await store.get(name)
    return stored?.kind === 'token' ? stored : undefined
  } catch (error) {
    if (error instanceof CredentialError) return undefined
    throw error
  }
}

async function endAtVendor(token: Token): Promise<void> {
  const signIn = signIns.get(token.sign_in)
  if (!signIn) return
  try {
    if (signIn.revoke) {
      await signIn.revoke(token)
      process.stdout.write('the vendor was told to end it\n')
      return
    }
  } catch (error) {
    if (!(error instanceof AuthorityAway)) throw error
    process.stderr.write(`deflector: the vendor could not be told: ${error.message}\n`)
  }
  process.stdout.write(`to end it at the vendor, too, see ${signIn.revocation}\n`)
}
