import { CircuitBreaker, type Host } from 'deflector'
import { Cluster } from 'ioredis'
import { type Client, makeClient, type RedisTarget } from './client.ts'
import { within } from './within.ts'

/** A Redis costs little to try, and all replicas wait for the same one. */
const LAST_RETRY_MS = 1000

/** Replies of a working server that refuses one command; any other failure means that it is out of reach. */
const REFUSALS = /^(OOM|NOPERM|WRONGTYPE|MISCONF|NOREPLICAS|ERR|BUSY)\b/

/**
 * The connection to one Redis (or cluster). Each is used until it fails: the first command that meets a dead or frozen
 * server pays its time limit, those after it fail at once, until a new connection has answered a ping.
 */
export class Connection {
  readonly #target: RedisTarget
  readonly #where: string
  readonly #breaker: CircuitBreaker
  /** Absent while there is no connection that answers. */
  #client: Client | undefined
  #connecting: Client | undefined
  #closed = false

  constructor(target: RedisTarget, { log, clock }: Pick<Host, 'log' | 'clock'>) {
    this.#target = target
    this.#where = target.address.nodes.map(({ host, port }) => `${host}:${port}`).join(',')
    const probe = async (): Promise<void> => this.#connect(await makeClient(target))
    this.#breaker = new CircuitBreaker({
      what: 'redis',
      where: this.#where,
      probe,
      lastRetryMs: LAST_RETRY_MS,
      clock,
      log,
    })
  }

  /**
   * Resolves after the first outcome, good or bad. A Redis that is away is no reason not to start. Throws when its
   * certificates cannot be had.
   */
  async start(): Promise<void> {
    if (this.#client || this.#breaker.open) return
    const client = await makeClient(this.#target)
    await this.#connect(client).catch(error => this.#breaker.failed(error))
  }

  /** Throws at once while there is no connection, and after `ms` when there is no answer. */
  async run<T>(ms: number, command: (client: Client) => Promise<T>): Promise<T> {
    const client = this.#client
    if (!client) throw new Error(`redis at ${this.#where} is out of reach`)
    try {
      const reply = await within(ms, command(client))
      this.#breaker.succeeded()
      return reply
    } catch (error) {
      if (!isRefusal(error)) this.#lose(client, error)
      // A new error: the client's own carries the command with its arguments.
      throw new Error(messageOf(error))
    }
  }

  close(): void {
    this.#closed = true
    this.#breaker.dispose()
    this.#connecting?.disconnect()
    this.#client?.disconnect()
    this.#client = undefined
  }

  /** A connection counts once every master has answered: one frozen node of a cluster would hold up a third of all keys. */
  async #connect(client: Client): Promise<void> {
    const { connectMs } = this.#target
    let why: unknown
    client.on('error', error => {
      why = error
    })
    this.#connecting = client
    try {
      if (this.#closed) throw new Error('this store was closed')
      await within(connectMs, client.connect())
      const nodes = client instanceof Cluster ? client.nodes('master') : [client]
      await within(connectMs, Promise.all(nodes.map(node => node.ping().catch(unlessRefused))))
      if (client.status !== 'ready') throw new Error('the connection was closed')
    } catch (error) {
      client.disconnect()
      throw new Error(messageOf(why ?? error)) // the client says only that its connection is closed
    } finally {
      this.#connecting = undefined
    }
    this.#client = client
    client.on('error', error => this.#lose(client, error))
    client.once('close', () => this.#lose(client, new Error('the connection was closed')))
  }

  /** What failed is cut off, also where it only hangs. */
  #lose(client: Client, error: unknown): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.disconnect()
    this.#breaker.failed(error)
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && REFUSALS.test(error.message)

/** A refused ping is an answer, too. */
function unlessRefused(error: unknown): void {
  if (!isRefusal(error)) throw error
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
