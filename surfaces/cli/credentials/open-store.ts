import { CredentialError, CredentialStore } from 'deflector/credentials'
import { ensureDataDir } from '../../../config/data-dir.ts'
import type { LoadedSettings } from '../../../config/load.ts'
import { CommandError } from '../failure.ts'

/** Runs with the credentials of the data directory; their errors become the command's. */
export async function withStore<T>(
  { values, dataDir }: LoadedSettings,
  run: (store: CredentialStore) => Promise<T>,
): Promise<T> {
  ensureDataDir(dataDir)
  try {
    return await run(
      new CredentialStore({ dataDir, masterKey: values.credential_key, keyring: values.credential_keyring }),
    )
  } catch (error) {
    throw error instanceof CredentialError ? new CommandError(error.message) : error
  }
}
