import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Document, parseDocument } from 'yaml'

/** One way to run the gateway. */
export interface Variant {
  readonly name: string
  readonly env?: Readonly<Record<string, string>>
  /** What is other than in the default pipeline. */
  readonly pipeline?: (pipeline: Document) => void
  /** Fills its data directory before it starts. */
  readonly prepare?: (dataDir: string) => void
}

export interface Gateway {
  readonly url: string
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

const READY_MS = 60_000

/**
 * Starts the built gateway at `root` as users run it, in a process of its own with empty caches. Default settings but for
 * the upstream (loopback, `upstreamPort`), and for the time to live: a slow machine shall not lose hits to it.
 */
export async function startGateway(root: string, variant: Variant, upstreamPort: number): Promise<Gateway> {
  const port = await freePort()
  const dataDir = mkdtempSync(join(tmpdir(), 'deflector-bench-'))
  variant.prepare?.(dataDir)
  const pipeline = variant.pipeline ? ['--pipeline', edited(root, dataDir, variant.pipeline)] : []
  const profile = process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : []
  const command = ['dist/surfaces/cli/main.js', 'up', '--log-level', 'error', ...pipeline]
  const child = spawn(process.execPath, [...profile, ...command], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SERVICE_DATA_DIR: dataDir,
      SERVICE__HOST: '127.0.0.1',
      SERVICE__PORT: String(port),
      SERVICE__CACHE_TTL_SECS: '86400',
      SERVICE__EXTERNAL_LLM_URL: `http://127.0.0.1:${upstreamPort}/v1`,
      SERVICE__EXTERNAL_LLM_API_KEY: 'bench',
      ...variant.env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    rmSync(dataDir, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  if (await comesUp(url, child)) return { url, port, pid: child.pid ?? 0, stop }
  await stop()
  throw new Error(`the gateway did not come up (${variant.name}); run \`npm run prepare\` first`)
}

async function comesUp(url: string, child: ChildProcess): Promise<boolean> {
  for (const end = Date.now() + READY_MS; Date.now() < end && child.exitCode === null; ) {
    const up = await fetch(`${url}/readyz`).catch(() => undefined)
    if (up?.ok) return true
    await new Promise(done => setTimeout(done, 50))
  }
  return false
}

/** The default pipeline as `edit` leaves it, in a file of its own. */
function edited(root: string, folder: string, edit: (pipeline: Document) => void): string {
  const document = parseDocument(readFileSync(join(root, 'pipelines/default.yaml'), 'utf8'))
  edit(document)
  const file = join(folder, 'pipeline.yaml')
  writeFileSync(file, document.toString())
  return file
}

/** A port of the loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port to be had')
  return address.port
}
