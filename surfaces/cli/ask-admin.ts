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

/** Where a gateway is asked, and with which key; an empty one is not sent. */
export interface AdminTarget {
  readonly base: string
  readonly key: string
}

/** The gateway refused, and will refuse again: the key, the path or the question is wrong. */
export class RefusedError extends CommandError {}

/** The gateway of the flags; without flags the running one of the pid file, with the key of the settings. */
export const adminTarget = (options: AdminOptions): AdminTarget => ({
  base: options.gatewayUrl === undefined ? runningUrl(options) : gatewayUrl(options.gatewayUrl),
  key: options.gatewayApiKey ?? adminKey(loadSettings({ cwd: process.cwd(), env: process.env }).values),
})

/** Calls the gateway that the options describe, see `adminTarget`. */
export const askAdmin = <T>(options: AdminOptions, shape: z.ZodType<T>, question: AdminQuestion): Promise<T> =>
  askAt(adminTarget(options), shape, question)

/** The gateway's answer, read with `shape`. */
export async function askAt<T>(
  target: AdminTarget,
  shape: z.ZodType<T>,
  question: AdminQuestion,
  signal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<T> {
  const reply = await adminReply(target, question, signal)
  const read = shape.safeParse(await reply.json().catch(() => undefined))
  if (!read.success) throw notDeflector(target, question)
  return read.data
}

/** The gateway's reply, before its body is read. Throws `RefusedError` where the gateway refuses to answer. */
export async function adminReply(
  { base, key }: AdminTarget,
  { path, surface, body }: AdminQuestion,
  signal: AbortSignal,
): Promise<Response> {
  const reply = await fetch(base + path, {
    method: body ? 'POST' : 'GET',
    headers: { ...(body && { 'content-type': 'application/json' }), ...(key !== '' && { 'x-api-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  }).catch((error: unknown) => {
    const late = error instanceof Error && error.name === 'TimeoutError'
    throw new CommandError(`the gateway at ${base} ${late ? 'does not answer' : 'cannot be reached'}`)
  })
  if (reply.ok) return reply
  const { error, message: said } = failed.safeParse(await reply.json().catch(() => undefined)).data ?? {}
  const message = refusal(base, reply.status, { surface, error, said, keyed: key !== '' })
  throw reply.status < 500 ? new RefusedError(message) : new CommandError(message)
}

export const notDeflector = ({ base }: AdminTarget, { surface }: AdminQuestion): CommandError =>
  new CommandError(`the server at ${base} is not a deflector with a ${surface} surface`)

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
  if (status === 401 && keyed)
    return `the gateway at ${base} does not know the key that was sent; pass its gateway_api_key, or a key with "admin = true", with --gateway-api-key`
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
