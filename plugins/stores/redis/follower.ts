import type { Host } from 'deflector'
import { Cluster, type Redis } from 'ioredis'
import { type Client, makeClient, type RedisTarget } from './client.ts'
import { type ReadResult, readKey } from './read.ts'
import { within } from './within.ts'

/** Receives what a follower finds. */
export interface FollowListener {
  /** `value` is absent for a deleted key; the bare prefix stands for everything below it. */
  changed(key: string, value: Uint8Array | undefined): void
  /** A key holds something that is not an entry. */
  foreign(): void
}

export interface FollowTarget extends RedisTarget {
  /** Prefix of every key of the store; delivered keys come without it. */
  readonly keyPrefix: string
  /** Prefix of the keys to follow, after `keyPrefix`. */
  readonly prefix: string
}

const RETRY_MS = { first: 50, last: 500 }
const SCAN_COUNT = 512
/** Values requested at once: few, because all of them are decoded and indexed in one turn of the event loop. */
const BATCH = 32
/** Bytes of the largest value that is delivered. A batch is held in memory; most values are a few kilobytes. */
const MAX_DELIVERED = 1 << 20
/** Notes kept in the stream. A follower that missed more was disconnected, and scans the keys again. */
const MAX_NOTES = 4096
const NOTES_TTL_MS = 86_400_000

/** Key of the stream of writes below a prefix. It lies outside the store's own keys, so that it is not an entry. */
const notesKey = ({ keyPrefix, prefix }: Pick<FollowTarget, 'keyPrefix' | 'prefix'>): string =>
  `${keyPrefix.replace(/:$/, '')}~written:${prefix}`

/** Notes that a key was written or deleted. Throws what the server says. */
export async function noteWrite(client: Client, target: Pick<FollowTarget, 'keyPrefix' | 'prefix'>, key: string) {
  const notes = notesKey(target)
  await Promise.all([
    client.xadd(notes, 'MAXLEN', '~', MAX_NOTES, '*', 'key', key),
    // Notes of a model that is no longer used must expire.
    client.pexpire(notes, NOTES_TTL_MS),
  ])
}

/**
 * Delivers every fresh entry below a prefix, then each as it is written, until the signal aborts. It has a connection of
 * its own, because it blocks there. After a lost connection it connects and scans again, which delivers what was written
 * meanwhile, or came back with a restarted server.
 */
export async function follow(
  target: FollowTarget,
  listener: FollowListener,
  signal: AbortSignal,
  { log, clock }: Pick<Host, 'log' | 'clock'>,
): Promise<void> {
  let tries = 0
  while (!signal.aborted) {
    let client: Client | undefined
    const disconnect = (): void => client?.disconnect()
    signal.addEventListener('abort', disconnect, { once: true })
    try {
      client = await makeClient(target)
      client.on('error', () => {}) // the failing command reports it
      await within(target.connectMs, client.connect())
      await listen(client, { ...target, now: () => clock.now() }, listener, signal, () => {
        tries = 0
      })
    } catch (error) {
      // The store reports an outage. Only the follower meets a server that forbids its commands.
      const refused = error instanceof Error && error.name === 'ReplyError'
      const message = 'redis refuses the commands that follow the writes of other gateways'
      if (refused) log.degraded('refused', message, { error: error.message })
    } finally {
      signal.removeEventListener('abort', disconnect)
      disconnect()
    }
    const step = Math.min(RETRY_MS.last, RETRY_MS.first * 2 ** Math.min(tries++, 10))
    await clock.sleep(step * (0.5 + clock.random() / 2), signal).catch(() => {}) // aborted: the loop ends
  }
}

interface TimedTarget extends FollowTarget {
  now(): number
}

async function listen(
  client: Client,
  target: TimedTarget,
  listener: FollowListener,
  signal: AbortSignal,
  onUp: () => void,
) {
  const notes = notesKey(target)
  // Before the scan, so that writes during the scan are delivered, perhaps twice.
  let [[last] = ['0-0']] = await client.xrevrange(notes, '+', '-', 'COUNT', 1)
  for (const node of client instanceof Cluster ? client.nodes('master') : [client]) {
    await scan(node, target, listener, signal)
  }
  onUp()
  // Half the limit of a command, so that a server which vanished silently is noticed.
  const waitMs = Math.max(1, Math.floor(target.connectMs / 2))
  while (!signal.aborted) {
    const found = await client.xread('COUNT', BATCH, 'BLOCK', waitMs, 'STREAMS', notes, last)
    const keys = new Set<string>()
    for (const [id, [, key]] of found?.[0]?.[1] ?? []) {
      last = id
      if (key?.startsWith(target.keyPrefix + target.prefix)) keys.add(key)
    }
    const read = async (key: string) => [key, await readKey(client, key, target.now(), MAX_DELIVERED)] as const
    for (const [key, result] of await Promise.all([...keys].map(read))) deliver(target, listener, signal, key, result)
  }
}

/** Each node of a cluster has keys of its own, so its values are asked of it alone. */
async function scan(node: Redis, target: TimedTarget, listener: FollowListener, signal: AbortSignal): Promise<void> {
  const match = `${escapeGlob(target.keyPrefix + target.prefix)}*`
  let cursor = '0'
  do {
    const [next, keys] = await node.scan(cursor, 'MATCH', match, 'COUNT', SCAN_COUNT)
    cursor = next
    for (let from = 0; from < keys.length && !signal.aborted; from += BATCH) {
      const batch = keys.slice(from, from + BATCH)
      const read = (key: string) => readKey(node, key, target.now(), MAX_DELIVERED).catch(unlessMoved)
      const results = await Promise.all(batch.map(read))
      for (const [i, key] of batch.entries()) {
        const result = results[i]
        // A key that is gone since was never delivered.
        if (result && result.is !== 'missing') deliver(target, listener, signal, key, result)
      }
    }
  } while (cursor !== '0' && !signal.aborted)
}

function deliver(
  { keyPrefix }: TimedTarget,
  { changed, foreign }: FollowListener,
  signal: AbortSignal,
  key: string,
  result: ReadResult,
) {
  if (signal.aborted) return
  if (result.is === 'foreign') foreign()
  else if (result.is === 'missing') changed(key.slice(keyPrefix.length), undefined)
  else if (result.is === 'entry' && result.entry.fresh) changed(key.slice(keyPrefix.length), result.entry.value)
}

/** A key may move to another node during the scan; that node's scan delivers it. */
function unlessMoved(error: unknown): undefined {
  if (!(error instanceof Error && /^(MOVED|ASK)\b/.test(error.message))) throw error
}

/** Escapes the wildcards of MATCH. */
const escapeGlob = (text: string): string => text.replaceAll(/[*?[\]\\]/g, '\\$&')
