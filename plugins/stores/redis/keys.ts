import { Cluster } from 'ioredis'
import type { Connection } from './connection.ts'

/** How many keys one step of a scan looks at: few enough that no other client of the server waits for it. */
const STEP = 500

/**
 * Names of all keys that begin with `prefix`, a batch at a time, from every master of a cluster. `ms` bounds each step,
 * not the whole. A key that is there all the time is met, now and then twice (as SCAN promises). Throws as
 * `Connection.run` does.
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
