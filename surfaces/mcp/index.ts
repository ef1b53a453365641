import {
  type Call,
  defineSurface,
  type ErrorDialect,
  GatewayError,
  isGatewayError,
  readJson,
  sendJson,
} from 'deflector'
import { z } from 'zod'
import { FlowBackend, type FlowBackendOptions } from './flow-backend.ts'
import { hostCheck } from './host-check.ts'
import { CODE, failure, type Message, messageSchema, RpcError } from './json-rpc.ts'
import { backendOf, passOn } from './pass-on.ts'
import { type Session, Sessions } from './sessions.ts'
import { answerStateless, STATELESS, versionOf } from './stateless.ts'

/** Bytes of a message. */
const LIMIT = 1 << 20
/** Messages of a batch, which only older versions of the protocol have. */
const BATCH_LIMIT = 100

/** What outlives a reload: the sessions, and which generation serves them. */
interface Kept {
  readonly sessions: Sessions
  shared: FlowBackendOptions | undefined
}

export default defineSurface({
  name: 'mcp',
  needsFlow: true,
  summary: 'MCP over streamable HTTP at /mcp: the caches as tools, open to everybody who may reach this address',
  options: z.strictObject({
    bound: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('address that the gateway listens on; a Host that is served'),
    allowed_hosts: z
      .array(z.string().min(1))
      .default([])
      .describe('host names that are served besides loopback and the bound address, for `Host` and `Origin`'),
    allow_store: z.boolean().default(true).describe('offer the tool that writes to the cache'),
    namespace: z
      .string()
      .min(1)
      .default('native')
      .describe('cache namespace; the default shares entries with POST /api/chat'),
    session_idle_secs: z
      .number()
      .positive()
      .default(1800)
      .describe('a session without a call and without an open stream ends after so many seconds'),
    max_sessions: z
      .number()
      .int()
      .positive()
      .default(1000)
      .describe('sessions at one time; one more takes the place of one that was begun and never used, or is refused'),
    max_sessions_per_peer: z
      .number()
      .int()
      .positive()
      .default(500)
      .describe('how many of them one address may have, so that none can take them all'),
  }),
  apply(host, options) {
    const refusal = hostCheck({ bound: options.bound, allowed: options.allowed_hosts })
    const shared: FlowBackendOptions = { host, namespace: options.namespace, mayStore: options.allow_store }
    const kept = host.keep<Kept>(`mcp:${host.name}`, () => ({
      sessions: new Sessions(host.gateway, host.clock, backendOf),
      shared: undefined,
    }))
    const { sessions } = kept
    host.onReady(() => {
      kept.shared = shared
      sessions.limits = {
        idleMs: options.session_idle_secs * 1000,
        most: options.max_sessions,
        mostOfOne: options.max_sessions_per_peer,
      }
    })
    host.onDispose(async () => {
      // Another generation's shared there means that this one was replaced, and the sessions go on.
      if (kept.shared === shared) await sessions.close()
    })

    host.dialect('/mcp', dialect)
    const route = (method: string, handle: (call: Call) => Promise<void>): void => {
      const checked = async (call: Call): Promise<void> => {
        const reason = refusal(call.headers)
        if (reason !== undefined) throw new GatewayError('forbidden', reason)
        return handle(call)
      }
      host.route(method, '/mcp', checked, { format: dialect, hosts: options.allowed_hosts })
    }
    route('POST', post)
    route('GET', inSession)
    route('DELETE', inSession)

    async function post(call: Call): Promise<void> {
      const session = sessionOf(call)
      const bytes = await call.body(LIMIT)
      let body: unknown
      try {
        body = await readJson(bytes)
      } catch (error) {
        if (!isGatewayError(error)) throw error
        return send(call, 400, failure(new RpcError(CODE.parse, error.message)))
      }
      if (Array.isArray(body) && body.length > BATCH_LIMIT)
        throw new GatewayError('bad_request', `a batch has at most ${BATCH_LIMIT} messages here`)
      const backend = new FlowBackend(shared, call)
      const { data: message } = messageSchema.safeParse(body)
      const { SUPPORTED_PROTOCOL_VERSIONS: sessional } = await import('@modelcontextprotocol/sdk/types.js')
      if (message && isStateless(message, call, sessional)) {
        const { status, body } = await answerStateless(message, call.headers, backend, [STATELESS, ...sessional])
        return send(call, status, body)
      }
      if (session) return passOn(call, { sessions, session, backend, body })
      if (message?.method !== 'initialize') throw new GatewayError('bad_request', NO_SESSION)
      const opening = await sessions.create(call.remote)
      try {
        await passOn(call, { sessions, session: opening, backend, body })
      } finally {
        // The SDK may have refused it; then it has no id, and would never end.
        if (opening.transport.sessionId === undefined) await opening.server.close()
      }
    }

    async function inSession(call: Call): Promise<void> {
      const session = sessionOf(call)
      if (!session) throw new GatewayError('bad_request', NO_SESSION)
      return passOn(call, { sessions, session, backend: new FlowBackend(shared, call) })
    }

    /** `undefined` for a call that names no session. */
    function sessionOf({ headers }: Call): Session | undefined {
      const id = headers['mcp-session-id']
      const session = id === undefined ? undefined : sessions.find(id, headers['mcp-protocol-version'])
      if (id !== undefined && !session) throw new GatewayError('not_found', 'there is no such session, or no longer')
      return session
    }
  },
})

const NO_SESSION = 'the header Mcp-Session-Id is missing; a session begins with initialize'

/** `initialize` negotiates its version in the body, so a header beside it says nothing. */
const isStateless = (message: Message, { headers }: Call, sessional: readonly string[]): boolean => {
  if (message.method === 'initialize') return false
  const version = versionOf(message, headers)
  return version !== undefined && !sessional.includes(version)
}

/** Failures around a message, as JSON-RPC says them. */
const dialect: ErrorDialect = {
  encodeError: ({ code, message }) =>
    failure(new RpcError(code === 'not_found' ? CODE.noSession : CODE.refused, message)),
}

const send = (call: Call, status: number, body?: object): void =>
  body ? sendJson(call, body, { status }) : call.send(status, {})
