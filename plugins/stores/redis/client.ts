import { readFile } from 'node:fs/promises'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { Target } from './target.ts'

export type Client = Redis | Cluster

/** Where a Redis is, and how it is reached. */
export interface RedisTarget {
  readonly target: Target
  readonly db: number
  /** Milliseconds a connection and its greeting may take. */
  readonly connectMs: number
  /** A PEM file with whom to trust under TLS, in place of the authorities that everybody trusts. */
  readonly caFile: string | undefined
}

/** A closing socket whose server is frozen never says goodbye; it is cut after so many milliseconds. */
const GOODBYE_MS = 50

const never = (): null => null

/**
 * A client that has not connected yet. It never queues: what cannot be sent now fails now. It connects once, as its
 * owner knows best when to try again.
 */
export async function makeClient({ target, db, connectMs, caFile }: RedisTarget): Promise<Client> {
  const tls = target.tls ? { ...(caFile !== undefined && { ca: await readCa(caFile) }) } : undefined
  const common = {
    lazyConnect: true,
    connectTimeout: connectMs,
    // Only the greeting needs this one; it bounds INFO and HELLO, that a frozen server would never answer.
    commandTimeout: connectMs,
    disconnectTimeout: GOODBYE_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    connectionName: 'deflector',
    ...(target.username !== undefined && { username: target.username }),
    ...(target.password !== undefined && { password: target.password }),
    ...(tls && { tls }),
  } satisfies RedisOptions
  if (target.kind === 'cluster') {
    return new Cluster([...target.nodes], {
      lazyConnect: true,
      enableOfflineQueue: false,
      slotsRefreshTimeout: connectMs,
      // Moves are followed; what a dead node would need is left to the next connection.
      maxRedirections: 4,
      retryDelayOnFailover: 20,
      retryDelayOnClusterDown: 20,
      clusterRetryStrategy: never,
      // Under TLS the nodes' names must reach the certificate check, not their addresses.
      ...(tls && { dnsLookup: (address, callback) => callback(null, address) }),
      redisOptions: common,
    })
  }
  const single = { ...common, db, enableOfflineQueue: false, retryStrategy: never } satisfies RedisOptions
  const [node] = target.nodes
  if (target.kind === 'single') return new Redis({ ...single, ...node })
  return new Redis({
    ...single,
    sentinels: [...target.nodes],
    name: target.master ?? '',
    sentinelRetryStrategy: never,
    sentinelCommandTimeout: connectMs,
    ...(target.sentinelUsername !== undefined && { sentinelUsername: target.sentinelUsername }),
    ...(target.sentinelPassword !== undefined && { sentinelPassword: target.sentinelPassword }),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
  })
}

async function readCa(file: string): Promise<string> {
  const pem = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`ca_file cannot be read: ${file}`, { cause })
  })
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`ca_file holds no certificate in PEM: ${file}`)
  return pem
}
