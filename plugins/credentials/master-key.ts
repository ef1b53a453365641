import { createHmac, randomBytes, scrypt } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { CredentialError } from './credential.ts'
import type { Keyring } from './keyring.ts'
import { readPrivate, writePrivate } from './private-file.ts'
import { KEY_BYTES } from './sealed.ts'

/** Where the master key may come from. */
export interface KeySources {
  /** The setting `credential_key`. */
  readonly given?: string | undefined
  readonly keyring?: Keyring | undefined
}

/** Which key was chosen, without the key. */
const choice = z.strictObject({
  version: z.literal(1),
  source: z.enum(['setting', 'keyring', 'file']),
  /** Name of the key in the keyring. */
  id: z.string().min(1),
  /** For a key that is made of the setting; base64. */
  salt: z.string().min(1),
  /** Tells another key from a damaged file; base64. */
  check: z.string().min(1),
})
type Choice = z.output<typeof choice>

const VARIABLE = 'SERVICE__CREDENTIAL_KEY'
const SALT_BYTES = 16
/** Characters of a text that a key is made of. */
const SHORTEST = 16
const derive = promisify<string, Buffer, number, Buffer<ArrayBuffer>>(scrypt)

/** An HMAC that says nothing of the key itself. */
const checkOf = (key: Buffer): string =>
  createHmac('sha256', key).update('deflector master key').digest().subarray(0, 12).toString('base64')

/** The key that all credentials of one folder are encrypted with: the setting, else the keyring's, else a file. */
export class MasterKey {
  readonly #choiceFile: string
  readonly #keyFile: string
  /** Deriving a key from the setting takes a while. */
  #known: { readonly check: string; readonly key: Buffer } | undefined

  constructor(
    private readonly folder: string,
    private readonly sources: KeySources,
  ) {
    this.#choiceFile = join(folder, 'master.json')
    this.#keyFile = join(folder, 'master.key')
  }

  /** The key that was chosen. Throws `CredentialError` where it cannot be had, or is another one. */
  async chosen(): Promise<Buffer> {
    const chosen = await this.#read()
    if (!chosen)
      throw new CredentialError(
        `${this.#choiceFile} is missing, and without it nothing in this folder can be read; restore it, or remove the folder and store the credentials again`,
      )
    if (this.#known?.check === chosen.check) return this.#known.key
    const key = await this.#find(chosen)
    if (checkOf(key) !== chosen.check) throw new CredentialError(this.#otherKey(chosen))
    this.#known = { check: chosen.check, key }
    return key
  }

  /** Chooses a key and remembers where it is. To be called alone, and only while nothing is stored. */
  async choose(): Promise<Buffer> {
    const id = `master-key-${randomBytes(6).toString('hex')}`
    const salt = randomBytes(SALT_BYTES)
    const { given, keyring } = this.sources
    const made = randomBytes(KEY_BYTES)
    let source: Choice['source'] = 'file'
    let key = made
    if (given !== undefined) {
      if (given.length < SHORTEST)
        throw new CredentialError(
          `${VARIABLE} is shorter than ${SHORTEST} characters, so it could be guessed; set it to a long random text`,
        )
      source = 'setting'
      key = await derive(given, salt, KEY_BYTES)
    } else if (keyring && (await isKept(keyring, id, made))) source = 'keyring'
    else await writePrivate(this.#keyFile, `${made.toString('base64')}\n`)
    const check = checkOf(key)
    const chosen: Choice = { version: 1, source, id, salt: salt.toString('base64'), check }
    await writePrivate(this.#choiceFile, `${JSON.stringify(chosen)}\n`)
    this.#known = { check, key }
    return key
  }

  /** Where the chosen key is, for a person; `undefined` where none was chosen. */
  async place(): Promise<string | undefined> {
    const chosen = await this.#read()
    return chosen && this.#placeOf(chosen)
  }

  async #read(): Promise<Choice | undefined> {
    const content = await readPrivate(this.#choiceFile)
    if (!content) return undefined
    const { data } = choice.safeParse(parsed(content.toString('utf8')))
    if (data) return data
    throw new CredentialError(
      `${this.#choiceFile} is damaged; restore it, or remove ${this.folder} and store the credentials again`,
    )
  }

  async #find(chosen: Choice): Promise<Buffer> {
    const { given, keyring } = this.sources
    if (given !== undefined) return derive(given, Buffer.from(chosen.salt, 'base64'), KEY_BYTES)
    if (chosen.source === 'setting')
      throw new CredentialError(
        `the stored credentials are encrypted with ${VARIABLE}, which is not set; set it to the text it had`,
      )
    if (chosen.source === 'file') {
      const content = await readPrivate(this.#keyFile)
      if (content) return Buffer.from(content.toString('utf8'), 'base64')
      throw new CredentialError(
        `${this.#keyFile}, the master key of the stored credentials, is missing; restore it, or remove ${this.folder} and store them again`,
      )
    }
    const found = await keyring?.get(chosen.id)
    if (found) return Buffer.from(found, 'base64')
    throw new CredentialError(
      `${keyring?.name ?? 'the keyring'}, which has the master key of the stored credentials, does not give it; unlock it, or remove ${this.folder} and store them again`,
    )
  }

  #otherKey(chosen: Choice): string {
    const again = `remove ${this.folder} and store them again`
    if (this.sources.given === undefined)
      return `${this.#placeOf(chosen)} has another master key than the stored credentials were encrypted with; restore it, or ${again}`
    return chosen.source === 'setting'
      ? `${VARIABLE} is not the text that the stored credentials were encrypted with; set it to that one, or ${again}`
      : `${VARIABLE} is set, but the stored credentials were encrypted with the key in ${this.#placeOf(chosen)}; unset it, or ${again}`
  }

  #placeOf({ source }: Choice): string {
    if (source === 'setting') return VARIABLE
    return source === 'file' ? this.#keyFile : (this.sources.keyring?.name ?? 'the keyring')
  }
}

/** A keyring that takes a key may still not give it back, where nobody is logged in. */
async function isKept(keyring: Keyring, id: string, key: Buffer): Promise<boolean> {
  const text = key.toString('base64')
  return (await keyring.set(id, text)) && (await keyring.get(id)) === text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
