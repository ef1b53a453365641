import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { health } from 'deflector/facets/health'
import { dataDirOf } from '../../../config/data-dir.ts'
import { type LoadedSettings, loadSettings } from '../../../config/load.ts'
import { DEMO, pipelineSettings } from '../../../config/providers.ts'
import { PREFIX } from '../../../config/schema.ts'
import { FILE_NAME } from '../../../config/toml-file.ts'
import { Gateway } from '../../../core/gateway.ts'
import { packageRoots } from '../../../core/pipeline/loader.ts'
import { addressOf, localUrl } from '../address.ts'
import { CommandError } from '../failure.ts'
import { createLog } from '../log.ts'
import { packagedPipeline } from '../package.ts'
import { untilStopped } from '../signals.ts'
import { CloudCalls } from './cloud-calls.ts'
import { replay } from './replay.ts'
import { summary, table } from './table.ts'
import { WORKLOAD } from './workload.ts'

export interface DemoOptions {
  readonly port: string
  readonly exit?: boolean
}

/** Drain time of the demo, which is its own only client, in milliseconds. */
const GRACE = 1_000

/** How long the caches may take to start, and each lookup to answer, in milliseconds. */
const PATIENCE = 30_000
/** Time between two looks at what has started, in milliseconds. */
const PAUSE = 50

const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** `deflector demo`: runs the same everywhere, because it ignores the settings of this machine. */
export async function demo({ port, exit }: DemoOptions): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'deflector-demo-'))
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const loaded = demoSettings(dataDir, port)
  if (hasOwnSettings()) print(`The demo ignores ${FILE_NAME} and ${PREFIX}* variables.`)
  const log = createLog({ level: 'warn', human: process.stderr.isTTY === true, out: process.stderr })
  const start = Gateway.start({
    pipelineFile: packagedPipeline(),
    settings: () => pipelineSettings(loaded),
    log,
    roots: packageRoots(),
  })
  const gateway = await start.catch(error => {
    throw isTaken(error)
      ? new CommandError(`port ${port} is in use: name another one with --port, or 0 for any`)
      : error
  })
  const close = (graceMs: number): Promise<void> => gateway.close(graceMs)
  const stopped = untilStopped({
    reload: async () => void (await gateway.reload()),
    close,
    log,
    drainSecs: () => loaded.values.drain_secs,
  })
  try {
    const wrong = await Promise.race([stopped, play(gateway, exit ?? false)])
    if (wrong && exit) process.exitCode = 1
  } catch (error) {
    await close(GRACE)
    throw error
  }
  if (exit) return close(GRACE)
  await stopped
}

/** Sends the workload, prints the outcomes, and returns how many requests were not answered as expected. */
async function play(gateway: Gateway, exit: boolean): Promise<number> {
  const address = addressOf(gateway)
  if (address?.port === undefined) throw new CommandError('the packaged pipeline has no listener on a port')
  const url = localUrl(address)
  await started(gateway)
  print(`deflector serves at ${url} with the built-in demo provider, and gets ${WORKLOAD.length} kinds of request:\n`)
  const calls = new CloudCalls()
  const outcomes = await replay(WORKLOAD, url, () => calls.count)
  calls.stop()
  print(`${table(outcomes)}\n\n${summary(outcomes, calls.count)}`)
  const wrong = outcomes.filter(outcome => outcome.wrong !== undefined).length
  if (wrong > 0) print(`${wrong} requests were not answered as expected, see the arrows`)
  if (!exit) print(invitation(url))
  return wrong
}

/** A busy machine may take longer to start the semantic cache than the gateway, which serves without it meanwhile. */
async function started(gateway: Gateway): Promise<void> {
  const layers = gateway.offers(health, 'layer')
  for (let waited = 0; waited < PATIENCE; waited += PAUSE) {
    if (![...layers.values()].some(status => status() === 'degraded')) return
    await pause(PAUSE)
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'EADDRINUSE'

/** Exported for its test. */
export function demoSettings(dataDir: string, port: string): LoadedSettings {
  return loadSettings({
    cwd: dataDir,
    env: { SERVICE_DATA_DIR: dataDir },
    flags: [
      { name: '--port', key: 'server.port', text: port },
      { name: 'demo', key: 'server.host', text: '127.0.0.1' },
      { name: 'demo', key: 'llm_provider', text: DEMO },
      // A busy machine should see what the cache can do, and not how late it is.
      { name: 'demo', key: 'semantic_wait_ms', text: String(PATIENCE) },
    ],
  })
}

function hasOwnSettings(): boolean {
  const cwd = process.cwd()
  const files = [cwd, dataDirOf(process.env, cwd)].map(folder => join(folder, FILE_NAME))
  return files.some(file => existsSync(file)) || Object.keys(process.env).some(name => name.startsWith(PREFIX))
}

const invitation = (url: string): string => `
Send a request twice and see x-service-layer change:

  curl -i ${url}/api/chat -H 'content-type: application/json' -d '{"prompt": "What is 6 * 7?"}'

Clients of the chat-completions format use ${url}/v1 as their base URL, clients of the messages format ${url}.
Ctrl-C ends the demo.`
