import { isPrivate } from 'deflector'
import { isPlainPath } from 'deflector/formats/vendor-path'
import { z } from 'zod'

/** What a full chat URL ends with; taken off, so that a base and a full URL mean the same. */
const CHAT_PATHS = ['/chat/completions', '/messages', '/responses']

/** `given`, a base or a full chat URL, as the URL to call: `/chat/completions` is appended. A query is kept. */
export const chatCompletionsUrl = (given: string): URL => withPath(given, base => `${base}/chat/completions`)

/** The same for the responses format. */
export const responsesUrl = (given: string): URL => withPath(given, base => `${base}/responses`)

/** The same for another endpoint of such a vendor: `/embeddings`. */
export const besideChat =
  (path: string) =>
  (given: string): URL =>
    withPath(given, base => base + path)

/** The same for the messages format, where a base with and without `/v1` means the same. */
export const messagesUrl = (given: string): URL =>
  withPath(given, base => `${base.endsWith('/v1') ? base.slice(0, -'/v1'.length) : base}/v1/messages`)

/** The base of all endpoints of such a vendor. */
export function messagesBase(given: string): URL {
  const url = messagesUrl(given)
  url.pathname = url.pathname.replace(/\/messages$/, '')
  return url
}

/**
 * The same for the generate-content format, up to where the model follows. A version is added only where the base has
 * none.
 */
export function contentUrl(given: string): URL {
  const url = new URL(given)
  const path = trimmed(url.pathname.replace(/\/(?:models|tunedModels)(?:\/.*)?$/, ''))
  url.pathname = /\/v\d\w*(?:\/|$)/.test(path) ? path : `${path}/v1beta`
  url.hash = ''
  return url
}

/** The base of all other endpoints of such a vendor, up to where the version follows. */
export function contentBase(given: string): URL {
  const url = contentUrl(given)
  url.pathname = url.pathname.replace(/\/v\d\w*(?:\/.*)?$/, '')
  return url
}

/** The URL of a model's method: `/models/gemini-x:generateContent`. Tuned models are a collection of their own. */
export function methodUrl(base: URL, model: string, method: string, query = ''): URL {
  const [, tuned] = /^tunedModels\/([^/]+)$/.exec(model) ?? []
  const name = model.replace(/^models\//, '')
  const url = new URL(base)
  // Escaped as a whole, a model's name cannot lead to another place.
  url.pathname +=
    tuned === undefined ? `/models/${escaped(name)}:${method}` : `/tunedModels/${escaped(tuned)}:${method}`
  if (query !== '') url.search += url.search === '' ? `?${query}` : `&${query}`
  return url
}

const escaped = (name: string): string => encodeURIComponent(name)

function withPath(given: string, path: (base: string) => string): URL {
  const url = new URL(given)
  let base = trimmed(url.pathname)
  for (const tail of CHAT_PATHS) if (base.endsWith(tail)) base = trimmed(base.slice(0, -tail.length))
  url.pathname = path(base)
  url.hash = ''
  return url
}

const trimmed = (path: string): string => path.replace(/\/+$/, '')

/** Why `given` cannot be called, or `undefined` when it can. */
export function urlProblem(given: string): string | undefined {
  const hole = /\{(\w+)\}/.exec(given)?.[1]
  if (hole !== undefined) return `set url: fill in the {${hole}} of ${bare(given)}`
  if (!URL.canParse(given)) return 'not a URL; write it like https://api.example.com/v1'
  const { protocol, username, password } = new URL(given)
  if (protocol !== 'https:' && protocol !== 'http:') return 'the URL must begin with https:// or http://'
  if (username !== '' || password !== '') return 'a URL holds no credentials; use api_key'
  return undefined
}

/** Without what a person may have put there as a secret. */
const bare = (given: string): string => given.replace(/^(\w+:\/\/).*@/s, '$1').replace(/[?#].*$/s, '')

/** The `url` option of every HTTP provider. */
export const urlSchema = z.string().superRefine((given, context) => {
  const problem = urlProblem(given)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})

/** The `url` option of a vendor that wants the endpoint alone. */
export const bareUrlSchema = urlSchema.superRefine((given, context) => {
  if (!URL.canParse(given)) return
  const { origin, pathname, search } = new URL(given)
  if (pathname === '/' && search === '') return
  context.addIssue({ code: 'custom', message: `give the bare endpoint, ${origin}, without a path` })
})

/** Is this URL, as it will be asked for, below `base`, to whoever reads it? */
export function isBelow({ origin, pathname }: URL, base: URL): boolean {
  const path = base.pathname.replace(/\/*$/, '/')
  return origin === base.origin && pathname.startsWith(path) && isPlainPath(pathname.slice(path.length))
}

/** Would a key sent there cross a network that others can read? */
export const isExposed = (url: URL): boolean => url.protocol === 'http:' && !isPrivate(url.hostname)
