import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { type Clock, GatewayError } from 'deflector'
import { type McpSession, mcpSessions } from 'deflector/facets/mcp-traces'
import { type Came, createServer } from './server.ts'
import type { ToolBackend } from './tools.ts'

export interface SessionLimits {
  /** How long a session without a call and without an open stream stays, in milliseconds. */
  readonly idleMs: number
  /** How many there may be, and how many of one peer. */
  readonly most: number
  readonly mostOfOne: number
}

export interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Aborts when the session is over. */
  readonly over: AbortSignal
  /** Address of the client that began it. */
  readonly peer: string
  seenAt: number
  readonly begunAt: number
  /** The protocol's version as the client said it last. */
  version: string | undefined
  /** Did a second call come? */
  used: boolean
  /** Open streams to the client. */
  streams: number
}

/** How long a session that was begun and never used keeps its place, in milliseconds: a client goes on at once. */
const UNUSED_MS = 10_000

/**
 * The sessions of all clients, the longest silent first. They outlive generations: what a session says is answered at
 * the backend that comes with it. Nothing watches the clock: a call clears away what has expired. The number is bounded, and
 * a session in use never makes room for another: everybody may begin one.
 */
export class Sessions {
  readonly #sessions = new Map<string, Session>()
  /** Begun, but not accepted yet. */
  readonly #opening = new Set<Session>()
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #backendOf: (came: Came) => ToolBackend
  readonly #gateway: string
  limits: SessionLimits = { idleMs: 0, most: 0, mostOfOne: 0 }

  /** `gateway`: see `Host.gateway`. */
  constructor(gateway: string, clock: Pick<Clock, 'monotonic'>, backendOf: (came: Came) => ToolBackend) {
    this.#gateway = gateway
    this.#clock = clock
    this.#backendOf = backendOf
  }

  get size(): number {
    return this.#sessions.size
  }

  /** A session of the client at this address. Throws `rate_limited` when there is no room. */
  async create(peer: string): Promise<Session> {
    const [server, { WebStandardStreamableHTTPServerTransport: Transport }] = await Promise.all([
      createServer(this.#backendOf),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    ])
    const over = new AbortController()
    // Every call of a session waits for its end, too.
    setMaxListeners(0, over.signal)
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      // Our tools have nothing to say before their result.
      enableJsonResponse: true,
      // The listener writes them.
      keepAliveMs: 0,
      onsessioninitialized: id => {
        this.#opening.delete(session)
        this.#sessions.set(id, session)
      },
    })
    const seenAt = this.#clock.monotonic()
    const begun = { begunAt: seenAt, seenAt, used: false, streams: 0, version: undefined }
    const session: Session = { server, transport, over: over.signal, peer, ...begun }
    this.#makeRoom(peer)
    this.#opening.add(session)
    server.onclose = () => {
      this.#opening.delete(session)
      if (transport.sessionId !== undefined && this.#sessions.delete(transport.sessionId)) this.#tellEnd(session)
      over.abort()
    }
    await server.connect(transport)
    return session
  }

  #tellEnd({ version, begunAt }: Session): void {
    if (!mcpSessions.hasSubscribers) return
    const ms = this.#clock.monotonic() - begunAt
    mcpSessions.publish({ gateway: this.#gateway, protocolVersion: version, ms } satisfies McpSession)
  }

  /** `undefined` for an id without a session, or with an expired one. `version` is what the call says of its protocol. */
  find(id: string, version?: string): Session | undefined {
    this.#clear()
    const session = this.#sessions.get(id)
    if (session) {
      session.used = true
      session.version = version ?? session.version
      this.#seen(id, session)
    }
    return session
  }

  /** Counts a stream to the client until `done` is called: who listens is not idle. */
  stream(session: Session): { done(): void } {
    session.streams++
    return {
      done: () => {
        session.streams--
        const id = session.transport.sessionId
        if (id !== undefined && this.#sessions.has(id)) this.#seen(id, session)
      },
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()))
  }

  #seen(id: string, session: Session): void {
    session.seenAt = this.#clock.monotonic()
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
  }

  #clear(): void {
    const before = this.#clock.monotonic() - this.limits.idleMs
    for (const { seenAt, streams, server } of [...this.#sessions.values()]) {
      if (seenAt > before) return
      if (streams === 0) void server.close()
    }
  }

  #makeRoom(peer: string): void {
    this.#clear()
    const { most, mostOfOne } = this.limits
    const all = [...this.#sessions.values(), ...this.#opening]
    const own = all.filter(session => session.peer === peer)
    if (own.length >= mostOfOne) this.#end(own)
    else if (all.length >= most) this.#end(all)
  }

  /** Ends the first that was begun and never used. */
  #end(sessions: readonly Session[]): void {
    const before = this.#clock.monotonic() - UNUSED_MS
    const leaving = sessions.find(({ used, streams, seenAt }) => !used && streams === 0 && seenAt <= before)
    if (!leaving)
      throw new GatewayError('rate_limited', 'there is no room for another session; end one with DELETE', {
        retryAfterSecs: UNUSED_MS / 1000,
      })
    void leaving.server.close()
  }
}
