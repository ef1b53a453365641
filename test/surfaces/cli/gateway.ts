import { join } from 'node:path'
import type { Shell, Started } from './command.ts'

/** Any free port of this machine only. */
export const FREE = ['--port', '0', '--host', '127.0.0.1']

export interface Up {
  readonly gateway: Started
  readonly url: string
  readonly pidFile: string
}

/**
 * Starts a gateway and waits until it serves. Like `startGateway` it caches word for word: similar questions need an
 * engine, which is another process. `{ SERVICE__CACHE_MODE: 'both' }` is the default of the product.
 */
export async function up(shell: Shell, args: readonly string[], env: Record<string, string> = {}): Promise<Up> {
  const gateway = shell.start(['up', ...args], { SERVICE__CACHE_MODE: 'exact', ...env })
  const [, url = ''] = await gateway.says(/address(?: +|":")(http:[^\s"]+)/)
  await gateway.says(/providers +\S|"msg":"serving"/)
  return { gateway, url, pidFile: join(shell.dataDir, `gateway-${new URL(url).port}.pid`) }
}

/** Counts the reloads of the gateway at `url`. */
export const generation = async (url: string): Promise<unknown> => {
  const health: { generation: unknown } = JSON.parse(await (await fetch(`${url}/health`)).text())
  return health.generation
}
