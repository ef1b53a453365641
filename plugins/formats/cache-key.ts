import { hash } from 'node:crypto'
import { CHAT, type Exchange, Memo, type Prompt } from 'deflector'
import { digestInTurns, digestOf, digestOfPart } from './body-digest.ts'
import { prefixedHeaders } from './client-headers.ts'
import { repeatsOf } from './repeated.ts'

/** Goes up whenever the same request gets another key, so that an old store is never misread. */
const VERSION = 3

/**
 * The exact cache's key: whose answer it is (surface, model, session, tenant, route) and the whole body in canonical
 * form. Requests share it only when the same answer fits both.
 */
export function cacheKey(exchange: Exchange): string {
  const { namespace, model, session, tenant, principal, route, credentials } = exchange
  const known = keys.of(exchange)
  if (
    known?.namespace === namespace &&
    known.model === model &&
    known.session === session &&
    known.tenant === tenant &&
    known.principal === principal &&
    known.route === route &&
    known.credentials === credentials
  )
    return known.key
  const key = hash('sha256', factsOf(exchange, digestOf(exchange), session), 'hex')
  keys.set(exchange, { namespace, model, session, tenant, principal, route, credentials, key })
  return key
}

type Facts = Pick<Exchange, 'namespace' | 'model' | 'session' | 'tenant' | 'principal' | 'route' | 'credentials'>

/** Several layers ask for the key of one exchange, and these facts may still change between them. */
const keys = new Memo<Facts & { readonly key: string }>()

/**
 * The partition in which a likeness counts: the exact key's parts, and the whole body but for the text of the last
 * turn, which `rest` has without. Requests share it only when that text alone tells them apart.
 */
export async function partitionKey(exchange: Exchange, rest: Prompt['body']): Promise<string> {
  const read = digestOfPart(exchange.prompt, rest)
  const body = typeof read === 'string' ? read : await read
  return hash('sha256', factsOf(exchange, `but the last turn ${body}`, exchange.session), 'hex')
}

/** `cacheKey` for those who can wait: a large body is read in turns of the event loop, and once only. */
export function readyKey(exchange: Exchange): string | Promise<string> {
  const reading = digestInTurns(exchange)
  return reading ? reading.then(() => cacheKey(exchange)) : cacheKey(exchange)
}

/** The same key for a body and a session that stand in for the exchange's own. */
export async function keyOf(
  exchange: Exchange,
  { body, session }: { readonly body: Prompt['body']; readonly session: Exchange['session'] },
): Promise<string> {
  const digest = await digestOfPart(exchange.prompt, body)
  return hash('sha256', factsOf(exchange, `like ${digest}`, session), 'hex')
}

function factsOf(exchange: Exchange, body: string, session: Exchange['session']): string {
  const { namespace, model, tenant, principal, route, credentials, headers, prompt } = exchange
  const { operation, dialect, query, state } = prompt
  return JSON.stringify([
    VERSION,
    namespace,
    model ?? null,
    session ?? null,
    tenant ?? null,
    route.provider ?? null,
    route.model ?? null,
    ...headersOf(dialect, headers),
    body,
    ...(operation === CHAT ? [] : [operation]),
    ...(query === '' ? [] : [`?${query}`]),
    // Only who made an answer that its vendor holds may refer to it, and the vendor says there what it was made with.
    ...(state?.creates ? [{ principal: principal ?? null, repeats: repeatsOf(prompt.body) }] : []),
    // What a client's own account was charged for, or allowed to see, is not another's.
    ...(credentials.length > 0 ? [{ credentials: hash('sha256', JSON.stringify(credentials), 'hex') }] : []),
  ])
}

/** No other headers of a client are forwarded to a vendor, so no other can change what it answers. */
function headersOf(dialect: Prompt['dialect'], headers: Exchange['headers']): readonly unknown[] {
  const named = dialect.headers?.filter(({ prefix }) => !prefix) ?? []
  const values = named.map(({ name, set }) => {
    const value = headers[name]
    return set ? features(value ?? '') : (value ?? null)
  })
  return [...(named.length === 0 ? NO_HEADERS : values), ...prefixedHeaders(dialect, headers)]
}

/** As keys were written when every dialect had two headers; an old store is found again by them. */
const NO_HEADERS: readonly unknown[] = [null, []]

/** The key of an older layout: SHA-256 of the bare prompt. Read, never written. */
export const promptHash = (text: string): string => hash('sha256', text, 'hex')

/** A set of features, in any order. */
const features = (list: string): string[] =>
  [...new Set(list.split(',').map(name => name.trim()))].filter(Boolean).sort()
