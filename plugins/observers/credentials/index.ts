import { defineObserver } from 'deflector'
import { CredentialStore } from 'deflector/credentials'
import { credentials } from 'deflector/facets/credentials'
import { z } from 'zod'
import { LiveCredentials } from './live-credentials.ts'
import { Renewals } from './renewals.ts'

/** Offers the credentials that `deflector set-key` and `deflector auth` stored to providers that have none configured. */
export default defineObserver({
  name: 'credentials',
  summary: 'gives providers without a configured key the one that is stored on this machine',
  options: z.strictObject({
    data_dir: z.string().min(1).describe('The data directory; the credentials have a folder in it.'),
    master_key: z
      .string()
      .default('')
      .describe("The text that they are encrypted with; empty: the keyring's key or a file."),
    keyring: z.boolean().default(true).describe("Whether the system's keyring may be asked for the master key."),
  }),
  apply(host, { data_dir: dataDir, master_key: masterKey, keyring }) {
    const store = new CredentialStore({ dataDir, masterKey, keyring })
    const live = new LiveCredentials(store, host.log)
    const renewals = new Renewals(store, live, host.clock, host.log)
    host.offer(credentials, {
      find: names => live.find(names),
      isUnreadable: names => live.isUnreadable(names),
      current: found => renewals.current(found),
      renewed: found => renewals.renewed(found),
    })
    host.onStart(() => live.start())
    host.onDispose(() => live.stop())
  },
})
