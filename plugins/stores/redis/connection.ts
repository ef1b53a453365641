import type { Host } from 'deflector'
import { Cluster } from 'ioredis'
import { type Client, makeClient, type RedisTarget } from './client.ts'
import { within } from './within.ts'

/** A Redis that is away is tried again in ever longer steps; the log hears of it once in a while. */
const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 1000

/** Replies of a server that works and says no to this one command; any other failure means that it is out of reach. */
const REFUSALS = /^(OOM|NOPERM|WRONGTYPE|MISCONF|NOREPLICAS|ERR|BUSY)\b/

/**
 * One connection to one Redis (or cluster), which heals by itself. While it is down nobody waits for it: the first
 * command that meets a dead or frozen server pays its time limit, those after it fail at once, until a new connection
 * has answered a ping.
 */
export class Connection {
  readonly #target: RedisTarget
  readonly #where: string
  readonly #around: Pick<Host, 'log' | 'clock'>
  #opened: Promise<void> | undefined
  #client: Client | undefined
  #up = false
  #closed = false
  #tries = 0
  /** Settles what waits for the first outcome. */
  #tried: () => void = () => {}
  readonly #firstTry = new Promise<void>(resolve => {
    this.#tried = resolve
  })
  #restart: NodeJS.Timeout | undefined

  constructor(target: RedisTarget, around: Pick<Host, 'log' | 'clock'>) {
    this.#target = target
    this.#around = around
    this.#where = target.target.nodes.map(({ host, port }) => `${host}:${port}`).join(',')
  }

  /**
   * Begins to connect; resolves after the first outcome, good or bad. A Redis that is away is no reason not to start.
   * Throws when its certificates cannot be had.
   */
  async start(): Promise<void> {
    this.#opened ??= makeClient(this.#target, { retryIn: () => this.#retryIn() }).then(client => this.#open(client))
    await this.#opened
    try {
      await within(this.#target.connectMs, this.#firstTry)
    } catch (error) {
      this.#fell(error)
    }
  }

  #open(client: Client): void {
    if (this.#closed) return
    this.#client = client
    client.on('ready', () => void this.#probe(client))
    client.on('error', (error: Error) => this.#fell(error))
    client.on('close', () => this.#fell(new Error('the connection was closed')))
    client.on('end', () => this.#ended(client))
    client.connect().catch(() => {}) // told by the `error` event
  }

  /** Throws at once while there is no connection, and after `ms` when there is no answer. */
  async run<T>(ms: number, command: (client: Client) => Promise<T>): Promise<T> {
    const client = this.#client
    if (!this.#up || !client) throw new Error(`redis at ${this.#where} is out of reach`)
    try {
      return await within(ms, command(client))
    } catch (error) {
      if (!isRefusal(error)) this.#renew(error)
      // A new error: the client's own carries the command with its arguments.
      throw new Error(messageOf(error))
    }
  }

  close(): void {
    this.#closed = true
    this.#up = false
    clearTimeout(this.#restart)
    this.#client?.disconnect()
  }

  /** A connection counts once every master has answered: one frozen node of a cluster would hold up a third of all keys. */
  async #probe(client: Client): Promise<void> {
    const nodes = client instanceof Cluster ? client.nodes('master') : [client]
    try {
      await within(this.#target.connectMs, Promise.all(nodes.map(node => node.ping().catch(unlessRefused))))
    } catch (error) {
      if (!this.#closed) this.#renew(error)
      return
    }
    if (this.#closed || client.status !== 'ready') return
    this.#up = true
    this.#tries = 0
    this.#tried()
    this.#around.log.recovered(`redis ${this.#where}`, 'redis answers again', { redis: this.#where })
  }

  /** What hangs is cut off, so that the client connects anew. */
  #renew(error: unknown): void {
    this.#fell(error)
    if (this.#client?.status === 'ready') this.#client.disconnect(true)
  }

  #fell(error: unknown): void {
    this.#up = false
    if (this.#closed) return
    this.#tried()
    const fields = { redis: this.#where, error: messageOf(error) }
    this.#around.log.degraded(`redis ${this.#where}`, 'redis is out of reach; requests go on without it', fields)
  }

  /** The client gives up in a few corners (a connection cut while it is being looked up); we do not. */
  #ended(client: Client): void {
    this.#up = false
    if (this.#closed) return
    this.#restart = setTimeout(() => client.connect().catch(() => {}), this.#retryIn())
  }

  #retryIn(): number {
    const step = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#tries++, 10))
    return Math.round(step * (0.5 + this.#around.clock.random() / 2))
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && REFUSALS.test(error.message)

/** A user who may not even ping has been answered all the same. */
function unlessRefused(error: unknown): void {
  if (!isRefusal(error)) throw error
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
