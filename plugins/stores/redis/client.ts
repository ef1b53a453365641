import { readFile } from 'node:fs/promises'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress } from './address.ts'

export type Client = Redis | Cluster

/** A Redis and how to connect to it. */
export interface RedisTarget {
  readonly address: RedisAddress
  readonly db: number
  /** Milliseconds that a connection and its handshake may take. */
  readonly connectMs: number
  /** A PEM file with the authorities to trust under TLS, in place of the usual ones. */
  readonly caFile: string | undefined
}

/** A frozen server never confirms a closing socket, so it is destroyed after this many milliseconds. */
const DISCONNECT_MS = 50

const never = (): null => null

/**
 * A client that has not connected yet. It never queues: what cannot be sent now fails now. It connects once, as its
 * owner knows best when to try again.
 */
export async function makeClient({ address, db, connectMs, caFile }: RedisTarget): Promise<Client> {
  const tls = address.tls ? { ...(caFile !== undefined && { ca: await readCa(caFile) }) } : undefined
  const common = {
    lazyConnect: true,
    connectTimeout: connectMs,
    // Limits INFO and HELLO of the handshake, which a frozen server would never answer.
    commandTimeout: connectMs,
    disconnectTimeout: DISCONNECT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    connectionName: 'deflector',
    ...(address.username !== undefined && { username: address.username }),
    ...(address.password !== undefined && { password: address.password }),
    ...(tls && { tls }),
  } satisfies RedisOptions
  if (address.kind === 'cluster') {
    return new Cluster([...address.nodes], {
      lazyConnect: true,
      enableOfflineQueue: false,
      slotsRefreshTimeout: connectMs,
      // Redirections are followed; recovery from a dead node is left to the next connection.
      maxRedirections: 4,
      retryDelayOnFailover: 20,
      retryDelayOnClusterDown: 20,
      clusterRetryStrategy: never,
      // Under TLS the nodes' names must reach the certificate check, not their addresses.
      ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
      redisOptions: common,
    })
  }
  const single = { ...common, db, enableOfflineQueue: false, retryStrategy: never } satisfies RedisOptions
  const [node] = address.nodes
  if (address.kind === 'single') return new Redis({ ...single, ...node })
  return new Redis({
    ...single,
    sentinels: [...address.nodes],
    name: address.master ?? '',
    sentinelRetryStrategy: never,
    sentinelCommandTimeout: connectMs,
    ...(address.sentinelUsername !== undefined && { sentinelUsername: address.sentinelUsername }),
    ...(address.sentinelPassword !== undefined && { sentinelPassword: address.sentinelPassword }),
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
