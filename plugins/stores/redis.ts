import { hash } from 'node:crypto'
import { defineStore, type Store } from 'deflector'
import { z } from 'zod'
import type { RedisTarget } from './redis/client.ts'
import { Connection } from './redis/connection.ts'
import { follow, noteWrite } from './redis/follower.ts'
import { keysUnder } from './redis/keys.ts'
import { LARGEST, readKey } from './redis/read.ts'
import { parseTarget } from './redis/target.ts'
import { encodeValue } from './redis/value.ts'

const target = z.string().transform((url, issues) => {
  try {
    return parseTarget(url)
  } catch (error) {
    issues.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is no URL of a Redis' })
    return z.NEVER
  }
})

/**
 * Entries in a Redis, shared by every gateway that uses it. One that is out of reach makes every call throw, at once
 * but for the first, until it is back.
 */
export default defineStore({
  name: 'redis',
  summary: 'keeps entries in a Redis server, cluster or sentinel group, for several gateways',
  options: z
    .strictObject({
      url: target.describe(
        'redis://[user:password@]host:6379/0, rediss:// for TLS, redis+cluster://host,host, redis+sentinel://host,host/master.',
      ),
      db: z.number().int().nonnegative().optional().describe("Database number; counts before the URL's own."),
      ca_file: z
        .string()
        .min(1)
        .optional()
        .describe(
          'PEM file with the authority that signed the certificate of a rediss:// server, or with that certificate itself. Without it the usual authorities and NODE_EXTRA_CA_CERTS count.',
        ),
      command_timeout_ms: z
        .number()
        .int()
        .positive()
        .default(250)
        .describe('Milliseconds a request waits for one answer before it goes on without.'),
      connect_timeout_ms: z
        .number()
        .int()
        .positive()
        .default(1000)
        .describe('Milliseconds a connection may take; so long the start waits for it, too.'),
      key_prefix: z
        .string()
        .optional()
        .describe(
          "What every key begins with; by default `deflector:` and the instance's name. Empty: entries of an older layout, under bare hashes, are found as well.",
        ),
    })
    .refine(({ url, ca_file }) => url.tls || ca_file === undefined, {
      path: ['ca_file'],
      message: 'is of use only with rediss://',
    })
    .refine(({ url, db = 0 }) => url.kind !== 'cluster' || db === 0, {
      path: ['db'],
      message: 'a cluster has only database 0',
    }),
  apply({ name, log, clock, keep, onStart }, options): Store {
    const { url, command_timeout_ms, key_prefix = `deflector:${name}:` } = options
    const reach: RedisTarget = {
      target: url,
      db: options.db ?? url.db ?? 0,
      connectMs: options.connect_timeout_ms,
      caFile: options.ca_file,
    }
    // Hashed, as an id may be shown and the URL holds a password.
    const id = hash('sha256', JSON.stringify(reach), 'base64url')
    const connection = keep(
      `redis:${id}`,
      () => new Connection(reach, { log, clock }),
      kept => kept.close(),
    )
    onStart(() => connection.start())
    const keyOf = (key: string): string => key_prefix + key
    // A store that nobody follows, as that of exact answers, pays for no notes.
    const followed = new Map<string, number>()
    const note = async (key: string): Promise<void> => {
      for (const prefix of followed.keys()) {
        if (!key.startsWith(prefix)) continue
        await connection.run(command_timeout_ms, client =>
          noteWrite(client, { keyPrefix: key_prefix, prefix }, keyOf(key)),
        )
      }
    }
    /** Neither key nor value is told: they may hold anything. */
    const passOver = (): undefined => {
      log.degraded('foreign', 'redis holds something among the entries that is none; it is passed over', {
        store: name,
      })
    }
    return {
      backend: 'redis',
      async get(key) {
        const reading = await connection.run(command_timeout_ms, client => readKey(client, keyOf(key), clock.now()))
        if (reading.is === 'entry') return reading.entry
        if (reading.is === 'missing') return undefined
        // An older layout's entries have no time of their own: they can only stand in when all else fails.
        if (key_prefix === '' && reading.is === 'foreign' && reading.bytes)
          return { value: reading.bytes, fresh: false }
        return passOver()
      },
      async set(key, value, { ttlSecs, staleSecs }) {
        const bytes = encodeValue(keyOf(key), value, clock.now() + ttlSecs * 1000)
        if (bytes.length > LARGEST) return
        const keepMs = Math.max(1, Math.ceil((ttlSecs + staleSecs) * 1000))
        await connection.run(command_timeout_ms, client => client.set(keyOf(key), bytes, 'PX', keepMs))
        await note(key)
      },
      async delete(key) {
        const deleted = (await connection.run(command_timeout_ms, client => client.del(keyOf(key)))) > 0
        if (deleted) await note(key)
        return deleted
      },
      // Writes are noted by gateways that follow, too: all replicas of one pipeline do.
      follow(prefix, seen, signal) {
        if (signal.aborted) return
        const settings = { ...reach, keyPrefix: key_prefix, prefix }
        followed.set(prefix, (followed.get(prefix) ?? 0) + 1)
        void follow(settings, { seen, passOver }, signal, { log, clock }).finally(() => {
          const left = (followed.get(prefix) ?? 0) - 1
          if (left > 0) followed.set(prefix, left)
          else followed.delete(prefix)
        })
      },
      // Without a prefix nobody knows which keys are ours, and a Redis may hold others' data.
      ...(key_prefix !== '' && {
        async clear() {
          for await (const keys of keysUnder(connection, command_timeout_ms, key_prefix)) {
            await connection.run(command_timeout_ms, client => Promise.all(keys.map(key => client.unlink(key))))
          }
          for (const prefix of followed.keys()) await note(prefix)
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
