/** Credentials of providers, kept encrypted on this machine: the module `deflector/credentials`. */
export { type Credential, CredentialError, isCredentialName, secretOf, type Token } from './credential.ts'
export { CredentialStore, type CredentialStoreOptions } from './credential-store.ts'
export { AuthorityAway } from './sign-in/authority.ts'
export { type BrowserFlow, signInByBrowser } from './sign-in/browser-flow.ts'
export { type FlowClock, signInByDevice } from './sign-in/device-flow.ts'
export { signIns } from './sign-in/index.ts'
export { endsSoon, isOver, renewed } from './sign-in/renewal.ts'
export type { DeviceGrant, SignIn, SignInSetting, SignInValues } from './sign-in/sign-in.ts'
