import type { CounterChange, Counters, CountersChanged } from 'deflector'
import type { Connection } from './connection.ts'

/** How long a counter is kept after it ends: the clocks of gateways and of Redis differ a little. */
const GRACE_MS = 3_600_000

/**
 * One step for Redis: nobody else's change comes between the look at the limits and the changes. Three arguments a key:
 * by how much, the limit or nothing, and when the key expires. Gives 1 or 0 (made or not), then the counts.
 */
const SCRIPT = `
local counts = {}
local made = 1
for i, key in ipairs(KEYS) do
  local count = tonumber(redis.call('GET', key) or '0')
  local limit = ARGV[3 * i - 1]
  counts[i] = count
  if limit ~= '' and count + tonumber(ARGV[3 * i - 2]) > tonumber(limit) then made = 0 end
end
if made == 1 then
  for i, key in ipairs(KEYS) do
    local by = ARGV[3 * i - 2]
    if by ~= '0' then
      counts[i] = redis.call('INCRBY', key, by)
      if counts[i] < 0 then
        redis.call('SET', key, '0')
        counts[i] = 0
      end
      redis.call('PEXPIREAT', key, ARGV[3 * i])
    end
  end
end
table.insert(counts, 1, made)
return counts
`

/** Counters in a Redis. All of a store are in one slot of a cluster, as one script changes several. */
export class RedisCounters implements Counters {
  readonly #prefix: string

  /** `keyPrefix`: that of the store's entries, which are cleared without the counters. */
  constructor(
    private readonly connection: Connection,
    private readonly timeoutMs: number,
    keyPrefix: string,
  ) {
    this.#prefix = `${keyPrefix.replace(/:$/, '')}~{counters}:`
  }

  async change(changes: readonly CounterChange[]): Promise<CountersChanged> {
    const keys = changes.map(({ key }) => this.#prefix + key)
    const given = changes.flatMap(({ by, limit = '', endsAt }) => [by, limit, Math.ceil(endsAt) + GRACE_MS])
    const reply = await this.connection.run(this.timeoutMs, client =>
      client.eval(SCRIPT, keys.length, ...keys, ...given),
    )
    const [made, ...counts] = Array.isArray(reply) ? reply.map(Number) : []
    return { made: made === 1, counts }
  }
}
