import { Cluster } from 'ioredis'
import type { Connection } from './connection.ts'

/** Keys that one step of a scan examines: few enough not to delay other clients of the server. */
const STEP = 500

/**
 * Names of all keys that begin with `prefix`, in batches, from every master of a cluster. `ms` limits each step, not the
 * whole. A key that exists throughout is found, sometimes twice (as SCAN promises). Throws as `Connection.run` does.
 */
export async function* keysUnder(connection: Connection, ms: number, prefix: string): AsyncGenerator<string[]> {
  const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`
  const nodes = await connection.run(ms, async client =>
    client instanceof Cluster ? client.nodes('master') : [client],
  )
  for (const node of nodes) {
    let cursor = '0'
    do {
      const [next, keys] = await connection.run(ms, () => node.scan(cursor, 'MATCH', pattern, 'COUNT', STEP))
      if (keys.length > 0) yield keys
      cursor = next
    } while (cursor !== '0')
  }
}
