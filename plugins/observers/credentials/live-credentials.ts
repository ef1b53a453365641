import { type FSWatcher, unwatchFile, watch, watchFile } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { HostLog } from 'deflector'
import { type Credential, CredentialError, type CredentialStore, secretOf } from 'deflector/credentials'
import type { StoredCredential } from 'deflector/facets/credentials'

/** Milliseconds between two looks at the folder, where the system does not tell of changes. */
const LOOK_MS = 1_000

interface Entry {
  readonly credential: Credential
  readonly stored: StoredCredential
}

/** The stored credentials in memory; changes by other processes are seen as they come. */
export class LiveCredentials {
  #entries: ReadonlyMap<string, Entry> = new Map()
  /** Names whose credential is there, and cannot be read. */
  #damaged: ReadonlySet<string> = new Set()
  #watcher: FSWatcher | undefined
  #reading: Promise<void> | undefined
  #again = false

  constructor(
    private readonly store: CredentialStore,
    private readonly log: HostLog,
  ) {}

  find(names: readonly string[]): StoredCredential | undefined {
    for (const name of names) {
      const entry = this.#entries.get(name)
      if (entry) return entry.stored
    }
    return undefined
  }

  isUnreadable(names: readonly string[]): boolean {
    return names.some(name => this.#damaged.has(name))
  }

  credential(name: string): Credential | undefined {
    return this.#entries.get(name)?.credential
  }

  /** The newest form of what was found before. */
  stored(found: StoredCredential): StoredCredential {
    return this.#entries.get(found.name)?.stored ?? found
  }

  /** What this process has just stored is seen at once. */
  put(name: string, credential: Credential): StoredCredential {
    const stored = storedOf(name, credential)
    this.#entries = new Map(this.#entries).set(name, { credential, stored })
    return stored
  }

  /** Reads everything, then follows the folder. */
  async start(): Promise<void> {
    const { folder } = this.store
    // A folder that is not there cannot be watched; where it cannot be created, nothing is stored either.
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {})
    try {
      this.#watcher = watch(folder, { persistent: false }, (_, file) => {
        if (file === null || /^[^.].*\.(?:enc|json|key)$/.test(file)) this.#changed()
      })
      this.#watcher.on('error', () => {})
    } catch {
      // `watchFile` finds it a second later.
    }
    watchFile(folder, { persistent: false, interval: LOOK_MS }, this.#changed)
    await this.#read()
  }

  stop(): void {
    this.#watcher?.close()
    // A generation that begins before this one ends watches the same folder.
    unwatchFile(this.store.folder, this.#changed)
  }

  readonly #changed = (): void => {
    if (this.#reading) this.#again = true
    else void this.#readAndTell()
  }

  /** Locks and renewals stir the folder, too: only another content is told. */
  async #readAndTell(): Promise<void> {
    const before = this.#entries
    await this.#read()
    const now = this.#entries
    const same =
      now.size === before.size && [...now].every(([name, { stored }]) => before.get(name)?.stored.key === stored.key)
    if (!same) this.log.info('stored credentials changed', { names: [...now.keys()] })
  }

  /** One reading at a time; what changes meanwhile is read after it. */
  async #read(): Promise<void> {
    do {
      this.#again = false
      this.#reading = this.#readAll()
      await this.#reading
    } while (this.#again)
    this.#reading = undefined
  }

  async #readAll(): Promise<void> {
    const entries = new Map<string, Entry>()
    const damaged = new Set<string>()
    try {
      for (const name of await this.store.names()) {
        const credential = await this.store.get(name).catch(error => {
          damaged.add(name)
          return this.#unreadable(error)
        })
        if (credential) entries.set(name, { credential, stored: storedOf(name, credential) })
      }
    } catch (error) {
      this.#unreadable(error)
    }
    this.#entries = entries
    this.#damaged = damaged
  }

  #unreadable(error: unknown): undefined {
    const message = error instanceof CredentialError ? error.message : 'the stored credentials cannot be read'
    this.log.degraded(message, message)
  }
}

function storedOf(name: string, credential: Credential): StoredCredential {
  const key = secretOf(credential)
  if (credential.kind === 'key' || !credential.headers) return { name, key }
  const headers = Object.entries(credential.headers).map(([header, value]) => [header, value.replace('{token}', key)])
  return { name, key, headers: Object.fromEntries(headers) }
}
