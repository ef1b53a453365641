import { CredentialStore } from 'deflector/credentials'

/** `credential-writer.ts DATA_DIR PREFIX COUNT`: stores so many credentials, and adds one to `shared` each time. */
const [dataDir = '', prefix = '', count = ''] = process.argv.slice(2)
const store = new CredentialStore({ dataDir, keyring: false })
for (let at = 0; at < Number(count); at++) {
  await store.set(`${prefix}-${at}`, { kind: 'key', key: `sk-${prefix}-${at}`, stored_at: at })
  await store.update('shared', async current => {
    const before = current?.kind === 'key' ? Number(current.key) : 0
    return { kind: 'key', key: String(before + 1), stored_at: at }
  })
}
