/** Credentials of providers, kept encrypted on this machine: the module `deflector/credentials`. */
export { type Credential, CredentialError, isCredentialName, secretOf, type Token } from './credential.ts'
export { CredentialStore, type CredentialStoreOptions } from './credential-store.ts'
