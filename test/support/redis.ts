import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

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
  close(): Promise<void>
}

/** Time for a server to come up on a machine that does other things, too. */
const PATIENCE_MS = 40_000

/** Of every Redis cluster. */
const SLOTS = 16_384

/** Resolves once `check` gives true; what it throws counts as false. */
export async function until(what: string, check: () => Promise<boolean> | boolean, ms = PATIENCE_MS): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(10)) {
    if (
      await Promise.resolve()
        .then(check)
        .catch(() => false)
    )
      return
  }
  throw new Error(`not within ${ms} ms: ${what}`)
}

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
  ensureProgram()
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'deflector-redis-'))
  let child: ChildProcess | undefined
  const slay = (): void => void child?.kill('SIGKILL')
  process.once('exit', slay)

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
  await launch()
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    restart: launch,
    async close() {
      await kill()
      process.off('exit', slay)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return server
}

/** One sentinel that watches one master on this machine, and is enough to declare it dead. */
export async function startSentinel(name: string, masterPort: number): Promise<RedisServer> {
  ensureProgram()
  const folder = mkdtempSync(join(tmpdir(), 'deflector-sentinel-'))
  const file = join(folder, 'sentinel.conf')
  // A sentinel rewrites its file, so it has to have one.
  writeFileSync(file, `sentinel monitor ${name} 127.0.0.1 ${masterPort} 1\n`)
  const sentinel = await startRedis(['--sentinel'], {}, file)
  return {
    ...sentinel,
    async close() {
      await sentinel.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
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
  for (const node of nodes) {
    await until('the cluster is complete', async () => {
      const info = String(await node.command('CLUSTER', 'INFO'))
      return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')
    })
  }
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    async close() {
      await Promise.all(nodes.map(node => node.close()))
    },
  }
}

function ensureProgram(): void {
  const there = (): boolean => spawnSync('redis-server', ['--version']).status === 0
  if (there()) return
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', ['-y', '-o', 'DPkg::Lock::Timeout=120', ...args], { env: APT_ENV }).status === 0
  const root = process.getuid?.() === 0
  if (root && (apt('install', 'redis-server') || (apt('update') && apt('install', 'redis-server'))) && there()) return
  throw new Error(
    'these tests need the program redis-server: install it, for instance with: apt-get install redis-server',
  )
}

const APT_ENV = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
