import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { systemClock } from '../../core/clock.ts'
import { ManualClock } from '../contracts/clock.ts'
import { needs } from './needs.ts'
import { opened, tempFolder } from './opened.ts'
import { until } from './until.ts'

needs('redis-server')

/** A `redis-server` of its own on a free port of this machine. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** One command over a connection of its own. */
  command(name: string, ...args: (string | number | Buffer)[]): Promise<unknown>
  /** SIGSTOP: it keeps its connections, takes new ones, and answers nobody. */
  freeze(): void
  thaw(): void
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** Starts again, on the same port, without what it held. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface RedisCluster {
  readonly url: string
  /** Three masters, no replicas. */
  readonly nodes: readonly RedisServer[]
  /** Resolves once every node sees all slots served. */
  complete(): Promise<void>
  close(): Promise<void>
}

/** The age of entries is the test's; tries to reach a real server take real time. */
export class RealTries extends ManualClock {
  override after(ms: number, run: () => void): () => void {
    return systemClock.after(ms, run)
  }
}

/** Of every Redis cluster. */
const SLOTS = 16_384

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has an address')
  return address.port
}

/** `args` go to the command line (`['--requirepass', 'secret']`); `file` is a configuration file in front of them. */
export async function startRedis(
  args: readonly string[] = [],
  login: { readonly password?: string } = {},
  file?: string,
): Promise<RedisServer> {
  const port = await freePort()
  const folder = tempFolder('redis')
  let child: ChildProcess | undefined

  const command: RedisServer['command'] = async (name, ...rest) => {
    const client = new Redis({ port, ...login, lazyConnect: true, retryStrategy: () => null, commandTimeout: 5000 })
    client.on('error', () => {}) // the command tells
    try {
      return await client.call(name, ...rest)
    } finally {
      client.disconnect()
    }
  }
  const launch = async (): Promise<void> => {
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
    const memoryOnly = file === undefined ? ['--save', '', '--appendonly', 'no'] : []
    child = spawn('redis-server', [...(file === undefined ? [] : [file]), ...place, ...memoryOnly, ...args], {
      stdio: 'ignore',
    })
    await until(`redis-server on port ${port}`, async () => (await command('PING')) === 'PONG')
  }
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  const close = opened(kill)
  await launch()
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    restart: launch,
    close,
  }
}

/** A master, its replica, and the sentinel that watches them. */
export interface SentinelGroup {
  readonly url: string
  readonly master: RedisServer
  readonly replica: RedisServer
  /** Resolves once the replica is a master; the old one still thinks that it is one, too. */
  failOver(): Promise<void>
  /** Resolves once the old master knows better; what was written to it meanwhile is lost. */
  demoted(): Promise<void>
  close(): Promise<void>
}

export async function startSentinelGroup(): Promise<SentinelGroup> {
  const master = await startRedis(['--repl-diskless-sync-delay', '0'])
  const replica = await startRedis(['--replicaof', `127.0.0.1 ${master.port}`])
  const followed = async (): Promise<boolean> =>
    String(await replica.command('INFO', 'replication')).includes('master_link_status:up')
  await until('the replica follows', followed)
  const sentinel = await startSentinel('main', master.port)
  const known = async (): Promise<boolean> =>
    String(await sentinel.command('SENTINEL', 'replicas', 'main')).includes(String(replica.port))
  await until('the sentinel knows the replica', known)
  const isMaster = async (server: RedisServer): Promise<boolean> =>
    String(await server.command('ROLE')).startsWith('master')
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/main`,
    master,
    replica,
    async failOver() {
      await until('it may take over', async () => (await sentinel.command('SENTINEL', 'FAILOVER', 'main')) === 'OK')
      await until('it took over', () => isMaster(replica))
    },
    async demoted() {
      await until('the old master obeys', async () => !(await isMaster(master)))
    },
    async close() {
      await Promise.all([master, replica, sentinel].map(server => server.close()))
    },
  }
}

/** One sentinel that watches one master on this machine, and is enough to declare it dead. */
async function startSentinel(name: string, masterPort: number): Promise<RedisServer> {
  const file = join(tempFolder('sentinel'), 'sentinel.conf')
  // A sentinel rewrites its file, so it has to have one.
  writeFileSync(file, `sentinel monitor ${name} 127.0.0.1 ${masterPort} 1\n`)
  return startRedis(['--sentinel'], {}, file)
}

/** Three masters that share the slots and know each other. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const buses: number[] = []
  const nodes: RedisServer[] = []
  for (let i = 0; i < 3; i++) {
    const bus = await freePort()
    buses.push(bus)
    // Long: the cluster itself must not notice within a test that a node is gone.
    const settings = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-node-timeout', '20000']
    nodes.push(await startRedis(settings))
  }
  const third = Math.ceil(SLOTS / 3)
  const [first, ...others] = nodes
  for (const [i, node] of nodes.entries()) {
    await node.command('CLUSTER', 'ADDSLOTSRANGE', i * third, Math.min(SLOTS, (i + 1) * third) - 1)
  }
  for (const [i, node] of others.entries()) {
    await first?.command('CLUSTER', 'MEET', '127.0.0.1', node.port, buses[i + 1] ?? 0)
  }
  const complete = async (): Promise<void> => {
    for (const node of nodes) {
      await until('the cluster is complete', async () => {
        const info = String(await node.command('CLUSTER', 'INFO'))
        return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')
      })
    }
  }
  await complete()
  return {
    complete,
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    async close() {
      await Promise.all(nodes.map(node => node.close()))
    },
  }
}
