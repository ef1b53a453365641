import { facet } from 'deflector'

/** A credential that is stored on this machine, as calls use it. */
export interface StoredCredential {
  /** What it is stored under. */
  readonly name: string
  readonly key: string
  /** Headers that show it, in lower case; absent: it is shown as the vendor's keys are. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The credentials of this machine. */
export interface Credentials {
  /** What is stored under the first of these names that has something. From memory, so it may be asked for every call. */
  find(names: readonly string[]): StoredCredential | undefined
  /** Is something stored under one of these names, or was it, that cannot be read? Default: no. */
  isUnreadable?(names: readonly string[]): boolean
  /** The credential as it may be sent now: renewed first where it is about to end. Throws `ProviderError`. */
  current(found: StoredCredential): Promise<StoredCredential>
  /** A new one in place of one that the vendor refused; `undefined` where there is none. Throws `ProviderError`. */
  renewed(found: StoredCredential): Promise<StoredCredential | undefined>
}

export const credentials = facet<Credentials>('credentials')
