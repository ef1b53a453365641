/** The gateway's key, kept for as long as the browser tab lives. */

const NAME = 'deflector-key'
const watchers = new Set<() => void>()
/** The gateway has refused the last call for want of a key. */
let refused: string | undefined

export interface Session {
  readonly key: string | undefined
  /** Why a key is asked for; absent while none is. */
  readonly refusal: string | undefined
}

let current: Session = { key: sessionStorage.getItem(NAME) ?? undefined, refusal: refused }

function change(key: string | undefined, refusal: string | undefined): void {
  refused = refusal
  current = { key, refusal: refused }
  for (const watcher of watchers) watcher()
}

export const session = (): Session => current

export function watchSession(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function signIn(key: string): void {
  sessionStorage.setItem(NAME, key)
  change(key, undefined)
}

export function signOut(): void {
  sessionStorage.removeItem(NAME)
  change(undefined, 'You have signed out.')
}

/** The gateway did not take the key that a call was made with. */
export function keyRefused(used: string | undefined, why: string): void {
  // A late answer to an older key says nothing of the one that is in use now.
  if (used === current.key && current.refusal !== why) change(current.key, why)
}
