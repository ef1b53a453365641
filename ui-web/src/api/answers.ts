import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { type Answer, AskError, ask, type EndpointName, type Given } from './ask.ts'
import { session, watchSession } from './session-key.ts'

/** Answers that the screens share. One that nobody looks at is kept for the way back, and asked for no more. */

/** What is known of an answer. After a failure the last good one stays. */
interface Known<T> {
  readonly data: T | undefined
  readonly error: AskError | undefined
  /** When `data` came, in milliseconds since 1970. */
  readonly at: number | undefined
}

export interface Asked<T> extends Known<T> {
  /** Asks again now. */
  refresh(): Promise<void>
}

/** Answers that are kept; the oldest goes first. */
const MOST_KEPT = 60
const UNKNOWN = { data: undefined, error: undefined, at: undefined }

class Watched {
  known: Known<unknown> = UNKNOWN
  readonly #watchers = new Map<() => void, number>()
  readonly #fetch: () => Promise<unknown>
  #timer: number | undefined
  #asking: Promise<void> | undefined

  constructor(fetch: () => Promise<unknown>) {
    this.#fetch = fetch
  }

  get watched(): boolean {
    return this.#watchers.size > 0
  }

  /** `every`: milliseconds between two calls; 0 asks once. */
  watch(watcher: () => void, every: number): () => void {
    this.#watchers.set(watcher, every)
    void this.ask()
    return () => {
      this.#watchers.delete(watcher)
      if (!this.watched) clearTimeout(this.#timer)
    }
  }

  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  forget(): void {
    this.known = UNKNOWN
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      this.known = { data: await this.#fetch(), error: undefined, at: Date.now() }
    } catch (error) {
      const failure = error instanceof AskError ? error : new AskError(undefined, 'The answer cannot be read.')
      this.known = { ...this.known, error: failure }
    }
    for (const watcher of this.#watchers.keys()) watcher()
    const every = Math.min(...[...this.#watchers.values()].filter(ms => ms > 0))
    // A page that nobody sees asks for nothing; it asks at once when it is seen again.
    if (Number.isFinite(every) && this.known.error?.status !== 401)
      this.#timer = window.setTimeout(() => {
        if (!document.hidden) void this.ask()
      }, every)
  }
}

const kept = new Map<string, Watched>()

function watchedOf<E extends EndpointName>(endpoint: E, given: Given<E>): Watched {
  const id = `${endpoint} ${JSON.stringify(given)}`
  const known = kept.get(id)
  if (known) return known
  const fresh = new Watched(() => ask(endpoint, given))
  kept.set(id, fresh)
  for (const [old, one] of kept) {
    if (kept.size <= MOST_KEPT) break
    if (!one.watched && one !== fresh) kept.delete(old)
  }
  return fresh
}

/** An answer of the gateway, asked for again as long as it is on the screen. `every`: in milliseconds; 0 asks once. */
export function useAnswer<E extends EndpointName>(endpoint: E, given: Given<E>, every: number): Asked<Answer<E>> {
  const watched = watchedOf(endpoint, given)
  const watch = useCallback((watcher: () => void) => watched.watch(watcher, every), [watched, every])
  const known = useSyncExternalStore(watch, () => watched.known) as Known<Answer<E>>
  return { ...known, refresh: () => watched.ask() }
}

/** Asks again for everything that is on the screen. */
const refreshAll = (): void => {
  for (const one of kept.values()) if (one.watched) void one.ask()
}

/** After a change: what is on the screen is asked for again, and what is not is forgotten. */
export async function changed(): Promise<void> {
  for (const one of kept.values()) if (!one.watched) one.forget()
  await Promise.all([...kept.values()].filter(one => one.watched).map(one => one.ask()))
}

/** Listens for what makes answers worth asking for anew: another key, and a page that is seen again. */
export function useFreshness(): void {
  useEffect(() => {
    const seen = (): void => {
      if (!document.hidden) refreshAll()
    }
    document.addEventListener('visibilitychange', seen)
    const unwatch = watchSession(() => {
      if (session().refusal === undefined) refreshAll()
    })
    return () => {
      document.removeEventListener('visibilitychange', seen)
      unwatch()
    }
  }, [])
}
