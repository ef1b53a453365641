import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Clock } from 'deflector'
import { type Came, createServer } from './server.ts'
import type { ToolBackend } from './tools.ts'

export interface SessionLimits {
  /** How long a session without a call and without an open stream stays, in milliseconds. */
  readonly idleMs: number
  /** How many there may be; one more takes the place of the one that was silent for longest. */
  readonly most: number
}

export interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Aborts when the session is over. */
  readonly over: AbortSignal
  seenAt: number
  /** Open streams to the client. */
  streams: number
}

/**
 * The sessions of all clients, the longest silent first. They outlive generations: what a session says is answered at
 * the backend that comes with it. Nothing watches the clock: a call clears away what has expired, and the number is bounded.
 */
export class Sessions {
  readonly #sessions = new Map<string, Session>()
  readonly #clock: Pick<Clock, 'now'>
  readonly #deskOf: (came: Came) => ToolBackend
  limits: SessionLimits = { idleMs: 0, most: 0 }

  constructor(clock: Pick<Clock, 'now'>, deskOf: (came: Came) => ToolBackend) {
    this.#clock = clock
    this.#deskOf = deskOf
  }

  get size(): number {
    return this.#sessions.size
  }

  /** A session that counts from the moment in which its client is accepted. */
  async create(): Promise<Session> {
    const [server, { WebStandardStreamableHTTPServerTransport: Transport }] = await Promise.all([
      createServer(this.#deskOf),
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
        this.#makeRoom()
        this.#sessions.set(id, session)
      },
    })
    const session: Session = { server, transport, over: over.signal, seenAt: this.#clock.now(), streams: 0 }
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
      over.abort()
    }
    await server.connect(transport)
    return session
  }

  /** `undefined` for an id that nobody has, or no longer. */
  find(id: string): Session | undefined {
    this.#clear()
    const session = this.#sessions.get(id)
    if (session) this.#seen(id, session)
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
    session.seenAt = this.#clock.now()
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
  }

  #clear(): void {
    const before = this.#clock.now() - this.limits.idleMs
    for (const { seenAt, streams, server } of [...this.#sessions.values()]) {
      if (seenAt > before) return
      if (streams === 0) void server.close()
    }
  }

  #makeRoom(): void {
    this.#clear()
    const silent = [...this.#sessions.values()]
    while (this.#sessions.size >= this.limits.most) {
      const idle = silent.findIndex(({ streams }) => streams === 0)
      const [leaving] = silent.splice(Math.max(0, idle), 1)
      if (!leaving) return
      void leaving.server.close()
    }
  }
}
