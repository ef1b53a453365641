import { hash } from 'node:crypto'
import { defineStore, type Store } from 'deflector'
import { z } from 'zod'
import { parseRedisUrl } from './redis/address.ts'
import type { RedisTarget } from './redis/client.ts'
import { Connection } from './redis/connection.ts'
import { RedisCounters } from './redis/counters.ts'
import { follow, noteWrite } from './redis/follower.ts'
import { keysUnder } from './redis/keys.ts'
import { MAX_BYTES, readKey } from './redis/read.ts'
import { encodeValue } from './redis/value.ts'

const redisUrl = z.string().transform((url, issues) => {
  try {
    return parseRedisUrl(url)
  } catch (error) {
    issues.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not the URL of a Redis' })
    return z.NEVER
  }
})

/**
 * Entries in a Redis, shared by every gateway that uses it. While it is out of reach every call throws, all but the
 * first at once.
 */
export default defineStore({
  name: 'redis',
  summary: 'keeps entries in a Redis server, cluster or sentinel group, for several gateways',
  options: z
    .strictObject({
      url: redisUrl.describe(
        'redis://[user:password@]host:6379/0, rediss:// for TLS, redis+cluster://host,host, redis+sentinel://host,host/master.',
      ),
      db: z.number().int().nonnegative().optional().describe('Database number; overrides the one in the URL.'),
      ca_file: z
        .string()
        .min(1)
        .optional()
        .describe(
          'PEM file with the certificate of a rediss:// server, or of the authority that signed it. Without it, the usual authorities and NODE_EXTRA_CA_CERTS are trusted.',
        ),
      command_timeout_ms: z
        .number()
        .int()
        .positive()
        .default(250)
        .describe('Milliseconds that a request waits for one reply of Redis before it continues without it.'),
      connect_timeout_ms: z
        .number()
        .int()
        .positive()
        .default(1000)
        .describe('Milliseconds that a connection may take. The start of the gateway waits this long at most.'),
      key_prefix: z
        .string()
        .optional()
        .describe(
          "Prefix of every key; by default `deflector:`, the instance's name and a colon. When empty, entries of an older layout, under bare hashes, are found as well.",
        ),
    })
    .refine(({ url, ca_file }) => url.tls || ca_file === undefined, {
      path: ['ca_file'],
      message: 'has an effect only with rediss://',
    })
    .refine(({ url, db = 0 }) => url.kind !== 'cluster' || db === 0, {
      path: ['db'],
      message: 'a cluster has only database 0',
    }),
  apply({ name, log, clock, keep, onStart }, options): Store {
    const { url, command_timeout_ms, key_prefix = `deflector:${name}:` } = options
    const target: RedisTarget = {
      address: url,
      db: options.db ?? url.db ?? 0,
      connectMs: options.connect_timeout_ms,
      caFile: options.ca_file,
    }
    // Hashed, as an id may be shown and the URL holds a password.
    const id = hash('sha256', JSON.stringify(target), 'base64url')
    const connection = keep(
      `redis:${id}`,
      () => new Connection(target, { log, clock }),
      kept => kept.close(),
    )
    onStart(() => connection.start())
    const keyOf = (key: string): string => key_prefix + key
    // Writes are noted only below followed prefixes; the store of exact answers has none.
    const followedPrefixes = new Map<string, number>()
    const noteKey = async (key: string): Promise<void> => {
      for (const prefix of followedPrefixes.keys()) {
        if (!key.startsWith(prefix)) continue
        await connection.run(command_timeout_ms, client =>
          noteWrite(client, { keyPrefix: key_prefix, prefix }, keyOf(key)),
        )
      }
    }
    /** The warning quotes neither key nor value, which may hold anything. */
    const foreign = (): undefined => {
      log.degraded('foreign', 'redis holds a value under the key prefix that is not an entry; it is ignored', {
        store: name,
      })
    }
    return {
      backend: 'redis',
      async get(key) {
        const result = await connection.run(command_timeout_ms, client => readKey(client, keyOf(key), clock.now()))
        if (result.is === 'entry') return result.entry
        if (result.is === 'missing') return undefined
        // Entries of an older layout have no expiry of their own, so they serve only as stale answers.
        if (key_prefix === '' && result.is === 'foreign' && result.bytes) return { value: result.bytes, fresh: false }
        return foreign()
      },
      async set(key, value, { ttlSecs, staleSecs }) {
        const bytes = encodeValue(keyOf(key), value, clock.now() + ttlSecs * 1000)
        if (bytes.length > MAX_BYTES) return
        const keepMs = Math.max(1, Math.ceil((ttlSecs + staleSecs) * 1000))
        await connection.run(command_timeout_ms, client => client.set(keyOf(key), bytes, 'PX', keepMs))
        await noteKey(key)
      },
      async delete(key) {
        const deleted = (await connection.run(command_timeout_ms, client => client.del(keyOf(key)))) > 0
        if (deleted) await noteKey(key)
        return deleted
      },
      // Only gateways that follow note their writes; all replicas of one pipeline do.
      follow(prefix, changed, signal) {
        if (signal.aborted) return
        const settings = { ...target, keyPrefix: key_prefix, prefix }
        followedPrefixes.set(prefix, (followedPrefixes.get(prefix) ?? 0) + 1)
        void follow(settings, { changed, foreign }, signal, { log, clock }).finally(() => {
          const remaining = (followedPrefixes.get(prefix) ?? 0) - 1
          if (remaining > 0) followedPrefixes.set(prefix, remaining)
          else followedPrefixes.delete(prefix)
        })
      },
      counters: new RedisCounters(connection, command_timeout_ms, key_prefix),
      // Without a prefix our keys cannot be told from the other data in a Redis.
      ...(key_prefix !== '' && {
        async clear() {
          for await (const keys of keysUnder(connection, command_timeout_ms, key_prefix)) {
            await connection.run(command_timeout_ms, client => Promise.all(keys.map(key => client.unlink(key))))
          }
          for (const prefix of followedPrefixes.keys()) await noteKey(prefix)
        },
        async size() {
          let size = 0
          for await (const keys of keysUnder(connection, command_timeout_ms, key_prefix)) size += keys.length
          return size
        },
      }),
    }
  },
})
