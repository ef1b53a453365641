import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listener } from 'deflector/facets/listener'
import { type LoadedSettings, loadSettings, type SettingsContext } from '../../config/load.ts'
import { sourcesOf } from '../../config/origins.ts'
import { pipelineSettings } from '../../config/providers.ts'
import { FILE_NAME } from '../../config/toml-file.ts'
import { Gateway } from '../../core/gateway.ts'
import type { Clock, Log } from '../../core/host.ts'
import { controlOf, offerProcess } from '../../surfaces/cli/control/control.ts'
import { checkChatGrammar } from './grammar/chat-completions.ts'
import { checkMessagesGrammar } from './grammar/messages.ts'
import { opened, tempFolder } from './opened.ts'
import type { Upstream } from './upstream.ts'

/** The shipped pipeline. */
export const DEFAULT_PIPELINE = fileURLToPath(new URL('../../pipelines/default.yaml', import.meta.url))

export interface Start {
  /** The primary provider is pointed at it, with a key. */
  readonly upstream?: Upstream
  /** Vendor id of the primary. */
  readonly provider?: string
  /** `SERVICE__*` variables. */
  readonly settings?: Readonly<Record<string, string>>
  readonly pipeline?: string
  /** What `service.toml` says; without it there is none. */
  readonly file?: string
  readonly clock?: Clock
  readonly log?: Log
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface TestGateway {
  readonly url: string
  readonly gateway: Gateway
  /** Its data directory, in which its `service.toml` is looked for. */
  readonly folder: string
  /** Sends a body as it stands. */
  send(path: string, body: string, headers?: Readonly<Record<string, string>>): Promise<Reply>
  /** Sends JSON, reads JSON; shaped however the test expects it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it looks at, and fails where they are not
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Reply & { readonly json: any }>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply & { readonly json: any }>
  /** Reads a stream to its end; `content` is the text of its chat-completions deltas. */
  stream(path: string, body: object): Promise<Reply & { readonly content: string }>
  close(): Promise<void>
}

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** A real gateway on a free port of this machine, with default settings in a data directory of its own. */
export async function startGateway(start: Start): Promise<TestGateway> {
  const folder = tempFolder()
  const { upstream } = start
  const env = {
    SERVICE_DATA_DIR: folder,
    SERVICE__HOST: '127.0.0.1',
    SERVICE__PORT: '0',
    SERVICE__CACHE_MODE: 'exact',
    // A machine that runs other tests beside is slow, and a lookup that is late is a miss.
    SERVICE__SEMANTIC_WAIT_MS: '10000',
    ...(start.provider && { SERVICE__LLM_PROVIDER: start.provider }),
    ...(upstream && {
      SERVICE__EXTERNAL_LLM_URL: upstream.url,
      SERVICE__EXTERNAL_LLM_API_KEY: 'test-key',
      SERVICE__EXTERNAL_LLM_MODEL: 'stub-model',
    }),
    ...start.settings,
  }
  if (start.file !== undefined) writeFileSync(join(folder, FILE_NAME), start.file)
  const load = (draft?: SettingsContext['draft']): LoadedSettings =>
    loadSettings({ cwd: folder, env, ...(draft && { draft }) })
  let served = load()
  let latest = served
  const settingsOf = (read: () => LoadedSettings) => () => {
    served = latest = read()
    return pipelineSettings(served)
  }
  const reload = async (read: () => LoadedSettings) => {
    const before = served
    const reloaded = await gateway.reload(settingsOf(read))
    if (!reloaded.ok) served = before
    return reloaded
  }
  const tryOut = (read: () => LoadedSettings) =>
    gateway.check(() => {
      latest = read()
      return pipelineSettings(latest)
    })
  const steering = controlOf({ cwd: folder, started: served, served: () => served, load, reload, tryOut })
  const gateway = await Gateway.start({
    pipelineFile: start.pipeline ?? DEFAULT_PIPELINE,
    settings: settingsOf(load),
    sourceOf: (setting, path) => sourcesOf(latest)(setting, path),
    accept: next => offerProcess(next, steering),
    log: start.log ?? quiet,
    ...(start.clock && { clock: start.clock }),
  })
  const close = opened(() => gateway.close(1000))
  const url = addressOf(gateway)
  const ask = async (path: string, init: RequestInit): Promise<Reply> => {
    // A call that nobody answers is a failure, not a test that never ends.
    const response = await fetch(url + path, { signal: AbortSignal.timeout(30_000), ...init })
    const text = await response.text()
    if (response.headers.get('x-service-deflected') === 'false')
      checkStream(text, response.headers.get('x-service-request-id') ?? '')
    return { status: response.status, headers: response.headers, text }
  }
  const send: TestGateway['send'] = (path, body, headers) =>
    ask(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  return {
    url,
    gateway,
    folder,
    send,
    async post(path, body, headers) {
      const reply = await send(path, JSON.stringify(body), headers)
      return { ...reply, json: JSON.parse(reply.text) }
    },
    async get(path, headers) {
      const reply = await ask(path, { headers: { ...headers } })
      return { ...reply, json: JSON.parse(reply.text) }
    },
    async stream(path, body) {
      const reply = await send(path, JSON.stringify({ ...body, stream: true }))
      const chunks = [...reply.text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''))
      return { ...reply, content: chunks.map(chunk => chunk.choices?.[0]?.delta?.content ?? '').join('') }
    },
    close,
  }
}

/** A stream that we wrote, which has an id of ours, keeps the grammar of its dialect. What a vendor wrote passes as it is, also from the cache. */
function checkStream(text: string, id: string): void {
  const head = text.slice(0, 2000)
  if (head.startsWith('data: ') && head.includes(`"chatcmpl-${id}"`)) checkChatGrammar(text)
  if (head.startsWith('event: message_start') && head.includes(`"msg_${id}"`)) checkMessagesGrammar(text)
}

function addressOf(gateway: Gateway): string {
  for (const bound of gateway.offers(listener).values()) {
    const address = bound()
    if (address?.port !== undefined) return `http://${address.host}:${address.port}`
  }
  throw new Error('the pipeline has no listener')
}
