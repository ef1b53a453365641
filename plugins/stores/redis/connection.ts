import type { Host } from 'deflector'
import { Cluster } from 'ioredis'
import { type Client, makeClient, type RedisTarget } from './client.ts'
import { within } from './within.ts'

/** Waits between two tries to connect; they double from the first to the last. */
const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 1000

/** Replies of a working server that refuses one command; any other failure means that it is out of reach. */
const REFUSALS = /^(OOM|NOPERM|WRONGTYPE|MISCONF|NOREPLICAS|ERR|BUSY)\b/

/**
 * One connection to one Redis (or cluster), which reconnects by itself. The first command that meets a dead or frozen
 * server fails after its time limit. Later commands fail at once, until a new connection has answered a ping.
 */
export class Connection {
  readonly #target: RedisTarget
  readonly #nodes: string
  readonly #host: Pick<Host, 'log' | 'clock'>
  #opened: Promise<void> | undefined
  #client: Client | undefined
  #up = false
  #closed = false
  #tries = 0
  /** Resolves `#firstTry`. */
  #endFirstTry: () => void = () => {}
  readonly #firstTry = new Promise<void>(resolve => {
    this.#endFirstTry = resolve
  })
  #restart: NodeJS.Timeout | undefined

  constructor(target: RedisTarget, host: Pick<Host, 'log' | 'clock'>) {
    this.#target = target
    this.#host = host
    this.#nodes = target.address.nodes.map(({ host, port }) => `${host}:${port}`).join(',')
  }

  /**
   * Begins to connect; resolves after the first outcome, good or bad, because the gateway starts without its Redis too.
   * Throws when the certificates cannot be read.
   */
  async start(): Promise<void> {
    this.#opened ??= makeClient(this.#target, { retryIn: () => this.#retryIn() }).then(client => this.#open(client))
    await this.#opened
    try {
      await within(this.#target.connectMs, this.#firstTry)
    } catch (error) {
      this.#markDown(error)
    }
  }

  #open(client: Client): void {
    if (this.#closed) return
    this.#client = client
    client.on('ready', () => void this.#probe(client))
    client.on('error', (error: Error) => this.#markDown(error))
    client.on('close', () => this.#markDown(new Error('the connection was closed')))
    client.on('end', () => this.#connectAgain(client))
    client.connect().catch(() => {}) // reported by the `error` event
  }

  /** Throws at once while there is no connection, and after `ms` when there is no answer. */
  async run<T>(ms: number, command: (client: Client) => Promise<T>): Promise<T> {
    const client = this.#client
    if (!this.#up || !client) throw new Error(`redis at ${this.#nodes} is out of reach`)
    try {
      return await within(ms, command(client))
    } catch (error) {
      if (!isRefusal(error)) this.#reconnect(error)
      // A new error, because the client's own carries the command with its arguments.
      throw new Error(messageOf(error))
    }
  }

  close(): void {
    this.#closed = true
    this.#up = false
    clearTimeout(this.#restart)
    this.#client?.disconnect()
  }

  /** A connection is up once every master has answered: one frozen node would delay a third of all keys. */
  async #probe(client: Client): Promise<void> {
    const nodes = client instanceof Cluster ? client.nodes('master') : [client]
    try {
      await within(this.#target.connectMs, Promise.all(nodes.map(node => node.ping().catch(unlessRefused))))
    } catch (error) {
      if (!this.#closed) this.#reconnect(error)
      return
    }
    if (this.#closed || client.status !== 'ready') return
    this.#up = true
    this.#tries = 0
    this.#endFirstTry()
    this.#host.log.recovered(`redis ${this.#nodes}`, 'redis answers again', { redis: this.#nodes })
  }

  /** Disconnects a hanging client, so that it connects again. */
  #reconnect(error: unknown): void {
    this.#markDown(error)
    if (this.#client?.status === 'ready') this.#client.disconnect(true)
  }

  #markDown(error: unknown): void {
    this.#up = false
    if (this.#closed) return
    this.#endFirstTry()
    const fields = { redis: this.#nodes, error: messageOf(error) }
    this.#host.log.degraded(`redis ${this.#nodes}`, 'redis is out of reach; requests go on without it', fields)
  }

  /** Connects again where the client gives up, such as when the connection is lost during a name lookup. */
  #connectAgain(client: Client): void {
    this.#up = false
    if (this.#closed) return
    this.#restart = setTimeout(() => client.connect().catch(() => {}), this.#retryIn())
  }

  #retryIn(): number {
    const step = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#tries++, 10))
    return Math.round(step * (0.5 + this.#host.clock.random() / 2))
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && REFUSALS.test(error.message)

/** A refused ping is an answer, too. */
function unlessRefused(error: unknown): void {
  if (!isRefusal(error)) throw error
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
