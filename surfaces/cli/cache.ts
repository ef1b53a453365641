import { z } from 'zod'
import { dataDirOf } from '../../config/data-dir.ts'
import { loadSettings } from '../../config/load.ts'
import { CommandError } from './failure.ts'
import { gatewayUrl } from './gateway-url.ts'
import { findRunning } from './pid-file.ts'
import { portOf } from './port.ts'

export interface CacheOptions {
  readonly gatewayUrl?: string
  readonly gatewayApiKey?: string
  readonly port?: string
  readonly pidFile?: string
}

/** Time limit for the gateway: counting or emptying a large store takes a while. */
const TIMEOUT_MS = 60_000

const counted = z.object({ caches: z.record(z.string(), z.record(z.string(), z.number())) })
const cleared = z.object({ cleared: z.array(z.string()) })
const forgotten = z.object({ forgotten: z.array(z.string()) })
const failed = z.object({ message: z.string() })

/** `deflector cache stats`: entries and counts since the start of each cache of the running gateway. */
export async function stats(options: CacheOptions): Promise<void> {
  const { caches } = await ask(options, counted, '')
  for (const [name, counts] of Object.entries(caches)) {
    const columns = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
    process.stdout.write(`${name}: ${columns.join(', ')}\n`)
  }
  if (Object.keys(caches).length === 0) process.stdout.write('no cache is on\n')
}

/** `deflector cache clear`: empties every cache of the running gateway. */
export async function clear(options: CacheOptions): Promise<void> {
  const { cleared: names } = await ask(options, cleared, '/clear', {})
  process.stdout.write(`cleared: ${names.join(', ') || 'no cache is on'}\n`)
}

/** `deflector cache forget <request-id>`: removes the answer that the request was served. */
export async function forget(id: string, options: CacheOptions): Promise<void> {
  const { forgotten: names } = await ask(options, forgotten, '/forget', { request_id: id })
  if (names.length === 0) throw new CommandError(`no cache knows the request ${id}, or its answer is gone`)
  process.stdout.write(`forgotten: ${names.join(', ')}\n`)
}

/** Calls the gateway of the flags; without flags the running one of the pid file, with the key of the settings. */
async function ask<T>(options: CacheOptions, shape: z.ZodType<T>, path: string, body?: object): Promise<T> {
  const base = options.gatewayUrl === undefined ? runningUrl(options) : gatewayUrl(options.gatewayUrl)
  const key =
    options.gatewayApiKey ?? loadSettings({ cwd: process.cwd(), env: process.env }).values.gateway_api_key ?? ''
  const reply = await fetch(`${base}/api/admin/cache${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...(body && { 'content-type': 'application/json' }), ...(key !== '' && { 'x-api-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    const late = error instanceof Error && error.name === 'TimeoutError'
    throw new CommandError(`the gateway at ${base} ${late ? 'does not answer' : 'cannot be reached'}`)
  })
  const json: unknown = await reply.json().catch(() => undefined)
  if (!reply.ok) throw new CommandError(refusal(base, reply.status, failed.safeParse(json).data?.message))
  const read = shape.safeParse(json)
  if (!read.success) throw new CommandError(`the server at ${base} is not a deflector with a cache-admin surface`)
  return read.data
}

function refusal(base: string, status: number, message: string | undefined): string {
  if (status === 401) return `the gateway at ${base} needs its key; pass it with --gateway-api-key`
  if (status === 404) return `the gateway at ${base} has no cache-admin surface in its pipeline`
  return `the gateway at ${base} refused with status ${status}${message === undefined ? '' : `: ${message}`}`
}

function runningUrl({ port, pidFile }: CacheOptions): string {
  const running = findRunning(dataDirOf(process.env, process.cwd()), { port: portOf(port), pidFile })
  if (running.url === '') throw new CommandError(`process ${running.pid} has no listener`)
  if (!URL.canParse(running.url)) {
    throw new CommandError(
      `process ${running.pid} listens on the socket file ${running.url} only, and this needs a port`,
    )
  }
  return running.url
}
