import { z } from 'zod'
import { dataDirOf } from '../../config/data-dir.ts'
import { loadSettings } from '../../config/load.ts'
import type { SettingValues } from '../../config/schema.ts'
import { CommandError } from './failure.ts'
import { gatewayUrl } from './gateway-url.ts'
import { findRunning } from './pid-file.ts'
import { portOf } from './port.ts'

/** Which gateway is asked, and with which key. */
export interface AdminOptions {
  readonly gatewayUrl?: string
  readonly gatewayApiKey?: string
  readonly port?: string
  readonly pidFile?: string
}

/** What is asked of it. */
export interface AdminQuestion {
  readonly path: string
  /** The surface that has the path, for messages. */
  readonly surface: string
  /** Sent as JSON with POST; without one it is a GET. */
  readonly body?: object | undefined
}

/** Time limit for the gateway: counting or emptying a large store takes a while. */
const TIMEOUT_MS = 60_000

const failed = z.object({ error: z.string().optional(), message: z.string() })

/** Calls the gateway of the flags; without flags the running one of the pid file, with the key of the settings. */
export async function askAdmin<T>(
  options: AdminOptions,
  shape: z.ZodType<T>,
  { path, surface, body }: AdminQuestion,
): Promise<T> {
  const base = options.gatewayUrl === undefined ? runningUrl(options) : gatewayUrl(options.gatewayUrl)
  const key = options.gatewayApiKey ?? adminKey(loadSettings({ cwd: process.cwd(), env: process.env }).values)
  const reply = await fetch(base + path, {
    method: body ? 'POST' : 'GET',
    headers: { ...(body && { 'content-type': 'application/json' }), ...(key !== '' && { 'x-api-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    const late = error instanceof Error && error.name === 'TimeoutError'
    throw new CommandError(`the gateway at ${base} ${late ? 'does not answer' : 'cannot be reached'}`)
  })
  const json: unknown = await reply.json().catch(() => undefined)
  if (!reply.ok) {
    const { error, message: said } = failed.safeParse(json).data ?? {}
    throw new CommandError(refusal(base, reply.status, { surface, error, said, keyed: key !== '' }))
  }
  const read = shape.safeParse(json)
  if (!read.success) throw new CommandError(`the server at ${base} is not a deflector with a ${surface} surface`)
  return read.data
}

/** The key that may administer. */
const adminKey = ({ gateway_api_key, gateway_api_keys }: SettingValues): string =>
  gateway_api_key || (gateway_api_keys.find(({ admin }) => admin)?.key ?? '')

interface Refused {
  readonly surface: string
  readonly error: string | undefined
  readonly said: string | undefined
  readonly keyed: boolean
}

function refusal(base: string, status: number, { surface, error, said, keyed }: Refused): string {
  if (status === 401)
    return `the gateway at ${base} needs gateway_api_key, or a key with "admin = true"; pass it with --gateway-api-key`
  // What a surface looked for in vain has a code of its own.
  if (status === 404 && error === 'not_found' && said !== undefined) return said
  if (status === 404) return `the gateway at ${base} has no ${surface} surface in its pipeline`
  const what = `the gateway at ${base} refused with status ${status}${said === undefined ? '' : `: ${said}`}`
  return status === 403 && keyed ? `${what}; --gateway-api-key passes another key` : what
}

function runningUrl({ port, pidFile }: AdminOptions): string {
  const running = findRunning(dataDirOf(process.env, process.cwd()), { port: portOf(port), pidFile })
  if (running.url === '') throw new CommandError(`process ${running.pid} has no listener`)
  if (!URL.canParse(running.url)) {
    throw new CommandError(
      `process ${running.pid} listens on the socket file ${running.url} only, and this needs a port`,
    )
  }
  return running.url
}
