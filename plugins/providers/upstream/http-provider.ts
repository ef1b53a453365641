import {
  type Answer,
  CHAT,
  type Host,
  type JsonObject,
  type Prompt,
  type Provider,
  type ProviderCall,
  ProviderError,
  type ProviderKey,
} from 'deflector'
import { health } from 'deflector/facets/health'
import { providerEndpoint } from 'deflector/facets/provider-endpoint'
import { passOf } from 'deflector/formats/pass-through'
import type { IsOthers } from 'deflector/formats/signature'
import { accepted } from './accepted.ts'
import { attempt, type ChatEndpoint } from './attempt.ts'
import { endpointOf } from './check.ts'
import { ownership } from './client-credentials.ts'
import { asDeclared } from './declared-calls.ts'
import { encoded, ownName } from './encode.ts'
import type { VendorError } from './failure.ts'
import { baseHeaders, dialectHeaders, dialectUrl, type ReplyHeaders } from './headers.ts'
import { connections } from './http.ts'
import type { HttpOptions } from './http-options.ts'
import { keysOf } from './keys.ts'
import { listModels, type ModelList } from './model-list.ts'
import { attemptOperation, type HttpOperation, type OperationEndpoint } from './operation.ts'
import { passedCall, passThrough } from './pass-through.ts'
import { basicPatches, type Patches, spliced, type Target } from './patches.ts'
import { Signers } from './signers.ts'
import { StoredKeys } from './stored-keys.ts'
import { ToolNames } from './tool-names.ts'
import { isExposed } from './url.ts'
import type { Sending } from './vendor-call.ts'
import type { VendorFormat } from './vendor-format.ts'

/** All that a plugin for an HTTP vendor may import: the module `deflector/http-provider`. */
export type { VendorError } from './failure.ts'
export type { ReplyHeaders } from './headers.ts'
export { type HttpOptions, httpOptions } from './http-options.ts'
export type { ModelList } from './model-list.ts'
export type { HttpOperation } from './operation.ts'
export { basicPatches, type Patches, type Target } from './patches.ts'
export { urlSchema } from './url.ts'
export type { VendorFormat } from './vendor-format.ts'

/** What is true of one vendor, or of all that speak one dialect; what an operator sets is in `HttpOptions`. */
export interface HttpVendor {
  /** The dialect that the vendor speaks. A client of the same dialect has its bytes passed through. */
  readonly format: VendorFormat
  /** Where calls go, from the `url` option. */
  url(base: string): URL
  /** The headers that show a credential. */
  auth(key: string): Readonly<Record<string, string>>
  /** Further headers of one call, in lower case. Those of the dialect are sent without it. */
  headers?(call: ProviderCall): Readonly<Record<string, string>>
  /** What is known only when a call goes out: its own URL, a credential that is made for it, a signature. */
  access?(call: ProviderCall, outgoing: Outgoing): Access | Promise<Access>
  /** What is changed in a body on its way; by default `basicPatches`, which a vendor's own should contain. */
  readonly patches?: (body: JsonObject, target: Target) => Patches
  /** Is this parsed body a whole answer? Throws `ProviderError` when it reports a failure under status 200. */
  isAnswer(body: Record<string, unknown>): boolean
  /** By what word does a whole answer say that the model came to none? See `Stop.gaveUp`. */
  gaveUp?(body: JsonObject): string | undefined
  /** Does this refusal say that the prompt is longer than the model's window? For a vendor that has no code for it. */
  tooLong?(error: VendorError): boolean
  /** Does the vendor document that an answer goes on where the last turn of this prompt, an assistant's, ends? */
  continues?(prompt: Prompt, model: string | undefined): boolean
  /** What it can be asked for beside chat, by the name of the operation. Only clients of its own dialect are served. */
  readonly operations?: Readonly<Record<string, HttpOperation>>
  /** The base of its other endpoints, from the `url` option: calls to them are passed through. Default: none are. */
  passes?(base: string): URL
  /** Further headers of their replies that a client may see, none of which holds a credential. `base` is that of `passes`. */
  shows?(headers: ReplyHeaders, base: URL): Readonly<Record<string, string>>
  /** Where it lists its models. A credential that is made for each call does not reach there. */
  readonly models?: ModelList
}

/** One call as it would go out. */
export interface Outgoing {
  readonly url: URL
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly target: Target
}

/** What replaces or joins it. */
export interface Access {
  readonly url?: URL
  /** In lower case; they go before the others. */
  readonly headers?: Readonly<Record<string, string>>
  /** Credentials among them, which no error may show. The key of the call is known to be one. */
  readonly secrets?: readonly string[]
}

/** A client may send anything under this name. */
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * A vendor that is called over HTTP: pooled connections, credentials, headers, bodies, streams and failures.
 * @example apply: (host, options) => httpProvider(host, options, {
 *   format: chatCompletions,
 *   url: base => new URL(`${base}/chat`),
 *   auth: key => ({ 'api-key': key }),
 *   isAnswer: body => Array.isArray(body.choices),
 * })
 */
export function httpProvider(host: Host, options: HttpOptions, vendor: HttpVendor): Provider {
  const { name, clock } = host
  const { format } = vendor
  const url = vendor.url(options.url)
  const shared = {
    connections: connections(host, options.connect_secs * 1000),
    baseHeaders: baseHeaders(options.headers, format),
    name,
    dialect: format.name,
  }
  const now = (): number => clock.now()
  const signers = Signers.of(host)
  const chat: ChatEndpoint = {
    ...shared,
    now,
    url,
    asked: `${format.name} answer`,
    isAnswer: body => vendor.isAnswer(body),
    ...(vendor.gaveUp && { gaveUp: body => vendor.gaveUp?.(body) }),
    format,
    learn: said => signers.learn(url.host, said),
    idleMs: options.stream_idle_secs * 1000,
    clock,
    ...(vendor.tooLong && { tooLong: error => vendor.tooLong?.(error) === true }),
  }
  const operations = new Map<string, OperationEndpoint>()
  for (const [named, operation] of Object.entries(vendor.operations ?? {}))
    operations.set(named, {
      ...shared,
      now,
      url: operation.url(options.url),
      asked: `answer to ${named}`,
      isAnswer: body => operation.isAnswer(body),
      ...(operation.describes && { describes: body => operation.describes?.(body) === true }),
      operation,
      idleMs: chat.idleMs,
      clock,
    })
  const configured = keysOf(options)
  const stored = configured && configured.length > 0 ? undefined : new StoredKeys(host, options.vendor_names)
  const keys = configured && (stored ? () => stored.keys() : () => configured)
  const owns = ownership(options.client_credentials, url)
  const { models } = vendor
  const list = models && { ...shared, now, url: models.url(options.url), asked: 'list of models', isAnswer: () => true }
  host.onStart(() => {
    if (isExposed(url) || [...operations.values()].some(endpoint => isExposed(endpoint.url)))
      host.log.warn(`${name}: the url is plain http on a public host; keys and prompts can be read on the way`)
  })
  const allKeys = (): readonly ProviderKey[] => keys?.() ?? stored?.keys() ?? []
  const shown = (key: string): Readonly<Record<string, string>> => stored?.headersFor(key) ?? vendor.auth(key)
  host.offer(
    providerEndpoint,
    endpointOf({
      clock,
      base: options.url,
      endpoint: { ...shared, now },
      list: models && (base => models.url(base)),
      chat: base => vendor.url(base),
      keys: allKeys,
      auth: shown,
    }),
  )
  host.offer(health, () => (keys?.().length === 0 ? 'no_credential' : 'active'))

  const headersOf = (call: ProviderCall): Record<string, string> => {
    const headers = dialectHeaders(format, call)
    Object.assign(headers, vendor.headers?.(call))
    const { traceparent = '' } = options.propagate_trace ? call : {}
    if (TRACEPARENT.test(traceparent)) headers.traceparent = traceparent
    if (call.key !== undefined) Object.assign(headers, shown(call.key))
    return headers
  }
  const sendingOf = async (call: ProviderCall, base: URL, target: Target, body: Uint8Array): Promise<Sending> => {
    const headers = headersOf(call)
    const url = dialectUrl(base, format, call.prompt)
    const secrets = call.key === undefined ? [] : [call.key]
    if (!vendor.access) return { url, headers, body, secrets }
    const access = await vendor.access(call, { url, headers, body, target })
    return {
      url: access.url ?? url,
      headers: { ...headers, ...access.headers },
      body,
      secrets: [...secrets, ...(access.secrets ?? [])],
    }
  }
  const passing = passOf(format.name)
  const passUrl = vendor.passes?.(options.url)
  const pass = passUrl && {
    ...shared,
    now,
    url: passUrl,
    ...(vendor.shows && { shows: (headers: ReplyHeaders) => vendor.shows?.(headers, passUrl) ?? {} }),
    asked: 'reply',
    isAnswer: () => true,
    idleMs: chat.idleMs,
    clock,
  }
  const askPassed = async (call: ProviderCall): Promise<Answer> => {
    if (!pass) throw unsayable(name, 'has no other endpoints')
    const passed = passedCall(call, pass.url)
    const sending = await sendingOf(call, passed.url, targetOf(call, options.model), passed.body)
    return passThrough(call, pass, sending, passed)
  }
  const askChat = async (call: ProviderCall): Promise<Answer> => {
    const target = targetOf(call, options.model)
    const names = new ToolNames(call.prompt, format.toolNames)
    const body = await bodyOf(call, target, vendor, options, names, signers.besides(url.host))
    const answer = await attempt(call, chat, await sendingOf(call, chat.url, target, body))
    if (call.prompt.dialect.name === format.name) return answer
    return asDeclared(names.given(answer), call.prompt)
  }
  const askOther = async (call: ProviderCall): Promise<Answer> => {
    const { operation: named, dialect, body, bytes } = call.prompt
    const endpoint = operations.get(named)
    if (!endpoint) throw unsayable(name, `does not serve ${named}`)
    if (dialect.name !== format.name) throw unsayable(name, `serves ${named} to clients of ${format.name} only`)
    if (call.stream && !endpoint.operation.streamDecoder) throw unsayable(name, `does not stream ${named}`)
    const { patches = basicPatches, method = 'POST', at } = endpoint.operation
    const target = targetOf(call, options.model)
    const url = at ? at(endpoint.url, call.prompt) : endpoint.url
    const patched = await spliced(bytes, patches(body, target))
    const { body: written, ...sending } = await sendingOf(call, url, target, patched)
    return attemptOperation(call, endpoint, {
      ...sending,
      method,
      ...(method === 'POST' && written && { body: written }),
    })
  }
  const ask = (call: ProviderCall): Promise<Answer> => {
    const { operation } = call.prompt
    if (operation === CHAT) return askChat(call)
    return operation === passing ? askPassed(call) : askOther(call)
  }
  return {
    ...(keys && { keys }),
    ...(stored && { keyTrouble: () => stored.trouble() }),
    ...(owns && { owns }),
    ...(options.model !== null && { model: options.model }),
    ...(options.larger_context && { largerContext: true }),
    ...(vendor.continues && { continues: (prompt, model) => vendor.continues?.(prompt, model) === true }),
    limits: {
      firstEventMs: milliseconds(options.first_event_secs),
      wholeAnswerMs: milliseconds(options.whole_answer_secs),
    },
    ...(models &&
      list && {
        listModels: cancellation => {
          const key = allKeys()[0]?.key
          const headers = key === undefined ? {} : shown(key)
          return listModels(list, { headers, secrets: key === undefined ? [] : [key] }, models, cancellation)
        },
      }),
    ...((operations.size > 0 || pass) && { operations: [CHAT, ...operations.keys(), ...(pass ? [passing] : [])] }),
    complete: call => (stored ? stored.answer(call, ask) : ask(call)),
  }
}

const milliseconds = (secs: number | undefined): number | undefined => (secs === undefined ? undefined : secs * 1000)

/** Another attempt would fail like this one; another provider may serve it. */
const unsayable = (name: string, what: string): ProviderError => new ProviderError('unsayable', `${name} ${what}`)

const targetOf = ({ prompt, model, stream }: ProviderCall, fallback: string | null): Target => ({
  model: model ?? prompt.model ?? fallback ?? undefined,
  stream,
})

/** The client's own bytes with as little changed as can be, or its prompt written anew when it speaks another dialect. */
async function bodyOf(
  call: ProviderCall,
  target: Target,
  { format, patches = basicPatches }: HttpVendor,
  { hosted_tools: mode, web_search: search }: HttpOptions,
  names: ToolNames,
  isOthers: IsOthers | undefined,
): Promise<Uint8Array> {
  const { prompt } = call
  const omitted = new Set<string>()
  let written: Uint8Array
  if (prompt.dialect.name === format.name) {
    const own = await accepted(prompt, format, isOthers, target.model)
    const { bytes, body } = own
    const changed = patches(body, { ...target, note: field => omitted.add(field) })
    written = await spliced(bytes, { ...changed, ...own.fields }, body)
    for (const field of own.omitted ?? []) omitted.add(field)
  } else {
    const note = (field: string): void => void omitted.add(ownName(prompt.format, field))
    const writing = {
      model: target.model ?? '',
      stream: target.stream,
      hosted: { mode, search },
      names,
      isOthers,
      note,
    }
    written = await encoded(format, prompt, writing, body => patches(body, { ...target, note }))
    for (const field of prompt.chat.vendorHints ?? []) omitted.add(field)
  }
  // Not before the body is there: a prompt that cannot be said goes to no vendor.
  for (const field of omitted) call.note?.(field)
  return written
}
