/**
 * What an earlier contract had, and what has it now: a plugin written against that one gets an error that leads on,
 * not an `undefined`. The table of `plugins/README.md` shows the same.
 */
export const MOVED = {
  host: {
    cache: 'host.offer(cacheControls, controls), the token is in deflector/facets/cache-controls',
    caches: 'host.offers(cacheControls), the token is in deflector/facets/cache-controls',
    report: 'host.offer(health, () => status), the token is in deflector/facets/health',
    recordedAs: 'host.offers(traceName), the token is in deflector/facets/trace-name',
    traceName: 'host.offers(traceName), the token is in deflector/facets/trace-name',
    handle: 'host.lookup(arrival)',
  },
  definition: {
    recordedAs: 'host.offer(traceName, name) in apply, the token is in deflector/facets/trace-name',
    traceName: 'host.offer(traceName, name) in apply, the token is in deflector/facets/trace-name',
  },
  provider: {
    complete: 'attempt(exchange, { prompt, model, stream, key, cancellation })',
  },
  dialect: {
    keepAlive: 'framing(call), which gives { contentType, keepAlive }',
  },
  answer: {
    provider: 'answer.facts.provider',
    headers: 'answer.facts.headers',
    staleSecs: 'answer.facts.staleSecs',
    freshUntil: 'answer.facts.freshUntil',
    joined: 'answer.facts.joined',
  },
  deflector: {
    pacer: 'timeSlice',
    sharedPacer: 'sharedTimeSlice',
    turn: 'nextTurn',
    ReadAnswer: 'wholeAnswer',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

/** Modules that an earlier contract had. */
export const MOVED_MODULES: Readonly<Record<string, string>> = {
  'deflector/formats/splice': 'spliceJson and refiller of deflector',
}

type Owner = keyof typeof MOVED

const said = (what: string, now: string): string => `${what} is no more; use ${now}`

/** Gives `object` a getter for each word that it no longer has, which throws what to use instead. */
export function pointOn<T extends object>(owner: Owner, object: T): T {
  for (const [word, now] of Object.entries(MOVED[owner])) {
    if (word in object) continue
    const get = (): never => {
      throw new TypeError(said(`${owner}.${word}`, now))
    }
    // Not enumerable: a copy by spreading must not trip over it.
    Object.defineProperty(object, word, { get, enumerable: false, configurable: true })
  }
  return object
}

/** Throws where `given` still says a word that is no more. */
export function refuseMoved(owner: Owner, given: object): void {
  for (const [word, now] of Object.entries(MOVED[owner]))
    if (Object.hasOwn(given, word)) throw new TypeError(said(`${owner}.${word}`, now))
}

/** The exports of a module, with a getter for each that it no longer has. */
export function pointOnExports(specifier: string, exports: object): object {
  if (specifier !== PACKAGE) return exports
  // A module's namespace takes no further names. What compiles `import *` copies a value that bears no such mark.
  return pointOn(PACKAGE, Object.defineProperty({ ...exports }, '__esModule', { value: true }))
}

const PACKAGE = 'deflector' satisfies Owner

/** Modules that are no more: the import of one fails with what to import instead. */
export const movedModules: readonly { readonly specifier: string; readonly load: () => Promise<never> }[] =
  Object.entries(MOVED_MODULES).map(([specifier, now]) => ({
    specifier,
    load: () => Promise.reject(new TypeError(said(`the module ${specifier}`, now))),
  }))
