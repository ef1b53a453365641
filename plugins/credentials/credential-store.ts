import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Credential, CredentialError, credential, isCredentialName } from './credential.ts'
import { systemKeyring } from './keyring.ts'
import { alone } from './lock.ts'
import { MasterKey } from './master-key.ts'
import { codeOf, privateFolder, readPrivate, writePrivate } from './private-file.ts'
import { seal, unseal } from './sealed.ts'

export interface CredentialStoreOptions {
  /** The gateway's data directory; the credentials have a folder of their own in it. */
  readonly dataDir: string
  /** The setting `credential_key`; empty or absent: the keyring's key, or a file. */
  readonly masterKey?: string | undefined
  /** Whether the system's keyring may be asked. */
  readonly keyring?: boolean | undefined
}

const ENDING = '.enc'

/**
 * Credentials of providers by name, each in a file of its own, encrypted with AES-256-GCM. Several processes may use one
 * folder: files are replaced as a whole, and changes of one name follow each other. Methods throw `CredentialError`.
 */
export class CredentialStore {
  readonly folder: string
  readonly #master: MasterKey

  constructor({ dataDir, masterKey, keyring = true }: CredentialStoreOptions) {
    this.folder = join(dataDir, 'credentials')
    this.#master = new MasterKey(this.folder, {
      given: masterKey || undefined,
      keyring: keyring ? systemKeyring() : undefined,
    })
  }

  /** The names that something is stored under, in order. */
  async names(): Promise<string[]> {
    try {
      const files = await readdir(this.folder)
      const names = files.flatMap(file => (file.endsWith(ENDING) ? [file.slice(0, -ENDING.length)] : []))
      return names.filter(isCredentialName).sort()
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw new CredentialError(`${this.folder} cannot be read (${codeOf(error) ?? 'unknown error'})`)
    }
  }

  /** `undefined` where nothing is stored under this name. */
  async get(name: string): Promise<Credential | undefined> {
    if (!isCredentialName(name)) return undefined
    const file = this.#fileOf(name)
    const sealed = await readPrivate(file)
    if (!sealed) return undefined
    const plain = unseal(sealed, await this.#master.chosen(), name)
    if (!plain)
      throw new CredentialError(
        `${file} cannot be decrypted: it was changed, or belongs elsewhere; restore it, or run "deflector auth logout ${name}" and store it again`,
      )
    const { data } = credential.safeParse(JSON.parse(plain.toString('utf8')))
    plain.fill(0)
    if (data) return data
    throw new CredentialError(`${file} was written by a newer version of deflector; update this one`)
  }

  /** What was stored before need not be readable. */
  async set(name: string, value: Credential): Promise<void> {
    await this.#ready(name)
    await this.#alone(name, () => this.#write(name, value))
  }

  /**
   * Changes what is stored under a name, alone among all processes. `change` is handed what is stored now; `undefined`
   * from it changes nothing. Gives back what is stored afterwards.
   */
  async update(
    name: string,
    change: (current: Credential | undefined) => Promise<Credential | undefined>,
  ): Promise<Credential | undefined> {
    await this.#ready(name)
    return this.#alone(name, async () => {
      const current = await this.get(name)
      const next = await change(current)
      if (next === undefined) return current
      await this.#write(name, next)
      return next
    })
  }

  async #ready(name: string): Promise<void> {
    if (!isCredentialName(name)) throw new CredentialError(`"${name}" is no name of a provider`)
    await privateFolder(this.folder)
  }

  async #write(name: string, value: Credential): Promise<void> {
    const plain = Buffer.from(JSON.stringify(value))
    await writePrivate(this.#fileOf(name), seal(plain, await this.#key(), name))
    plain.fill(0)
  }

  /** False where nothing was stored. It need not be readable. */
  async remove(name: string): Promise<boolean> {
    if (!(await this.names()).includes(name)) return false
    return this.#alone(name, async () => {
      try {
        await rm(this.#fileOf(name))
        return true
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return false
        throw new CredentialError(`${this.#fileOf(name)} cannot be removed (${codeOf(error) ?? 'unknown error'})`)
      }
    })
  }

  /** Throws where something could not be stored now, so that nobody signs in for nothing. */
  async check(): Promise<void> {
    await privateFolder(this.folder)
    if ((await this.names()).length > 0) await this.#master.chosen()
  }

  /** Where the master key is, for a person; `undefined` before the first credential. */
  masterKeyPlace(): Promise<string | undefined> {
    return this.#master.place()
  }

  /** The master key; while nothing is stored, one is chosen where there is none that can be had. */
  async #key(): Promise<Buffer> {
    if ((await this.names()).length > 0) return this.#master.chosen()
    return alone(join(this.folder, 'master.lock'), async () => {
      try {
        return await this.#master.chosen()
      } catch (error) {
        if ((await this.names()).length > 0) throw error
        return this.#master.choose()
      }
    })
  }

  #alone<T>(name: string, run: () => Promise<T>): Promise<T> {
    return alone(join(this.folder, `${name}.lock`), run)
  }

  #fileOf(name: string): string {
    return join(this.folder, name + ENDING)
  }
}
