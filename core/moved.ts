/**
 * What an earlier contract had, and what has it now: a plugin written against that one gets an error that leads on,
 * not an `undefined`.
 */
const MOVED = {
  host: {
    cache: 'host.offer(cacheControls, controls), the token is in deflector/facets/cache-controls',
    caches: 'host.offers(cacheControls), the token is in deflector/facets/cache-controls',
    report: 'host.offer(health, () => status), the token is in deflector/facets/health',
    recordedAs: 'host.offers(traceName), the token is in deflector/facets/trace-name',
    handle: 'host.lookup(arrival)',
  },
  definition: {
    recordedAs: 'host.offer(traceName, name) in apply, the token is in deflector/facets/trace-name',
  },
  provider: {
    complete: 'attempt(exchange, { prompt, model, stream, key, cancellation })',
  },
  dialect: {
    keepAlive: 'framing(call), which gives { contentType, keepAlive }',
  },
  deflector: {
    pacer: 'timeSlice',
    sharedPacer: 'sharedTimeSlice',
    turn: 'nextTurn',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

type Owner = keyof typeof MOVED

const said = (owner: string, word: string, now: string): string => `${owner}.${word} is no more; use ${now}`

/** Gives `object` a getter for each word that it no longer has, which throws what to use instead. */
export function pointOn<T extends object>(owner: Owner, object: T): T {
  for (const [word, now] of Object.entries(MOVED[owner])) {
    if (word in object) continue
    const get = (): never => {
      throw new TypeError(said(owner, word, now))
    }
    // Not enumerable: a copy by spreading must not trip over it.
    Object.defineProperty(object, word, { get, enumerable: false, configurable: true })
  }
  return object
}

/** Throws where `given` still says a word that is no more. */
export function refuseMoved(owner: Owner, given: object): void {
  for (const [word, now] of Object.entries(MOVED[owner]))
    if (Object.hasOwn(given, word)) throw new TypeError(said(owner, word, now))
}
