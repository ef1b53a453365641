import type { Host } from 'deflector'
import { Cluster, type Redis } from 'ioredis'
import { type Client, makeClient, type RedisTarget } from './client.ts'
import { type Reading, readKey } from './read.ts'
import { within } from './within.ts'

/** Whom a follower tells. */
export interface Ears {
  /** `value` is absent for what was deleted; the bare prefix stands for everything below it. */
  seen(key: string, value: Uint8Array | undefined): void
  /** There was something that is no entry. */
  passOver(): void
}

export interface Followed extends RedisTarget {
  /** What every key of the store begins with; cut off again before it is told. */
  readonly keyPrefix: string
  /** Of the keys to follow, behind `keyPrefix`. */
  readonly prefix: string
}

const RETRY_MS = { first: 50, last: 500 }
const SCAN_COUNT = 512
/** Values asked for at once: few, as each is decoded and indexed before the event loop goes on. */
const BATCH = 32
/** Bytes of the largest value that is told: a batch of them has to be held, and most are of a few kilobytes. */
const TOLD_MOST = 1 << 20
/** Notes kept in the stream. Who missed more than that has been away, and reads the key space again. */
const NOTES = 4096
const NOTES_LIVE_MS = 86_400_000

/** Under which writes below a prefix are noted: beside the store's own keys, so that it counts as no entry. */
const notesKey = ({ keyPrefix, prefix }: Pick<Followed, 'keyPrefix' | 'prefix'>): string =>
  `${keyPrefix.replace(/:$/, '')}~written:${prefix}`

/** Notes that a key was written or deleted. Throws what the server says. */
export async function noteWrite(client: Client, followed: Pick<Followed, 'keyPrefix' | 'prefix'>, key: string) {
  const notes = notesKey(followed)
  await Promise.all([
    client.xadd(notes, 'MAXLEN', '~', NOTES, '*', 'key', key),
    // A model that nobody uses any more must not leave its notes behind.
    client.pexpire(notes, NOTES_LIVE_MS),
  ])
}

/**
 * Tells every fresh entry below a prefix, then each as it is written, until the signal aborts. It has a connection of
 * its own, as it waits in it. A lost connection is made anew and the key space read again: what was written meanwhile,
 * or came back with a restarted server, is told then.
 */
export async function follow(
  followed: Followed,
  ears: Ears,
  signal: AbortSignal,
  { log, clock }: Pick<Host, 'log' | 'clock'>,
): Promise<void> {
  let tries = 0
  while (!signal.aborted) {
    let client: Client | undefined
    const cut = (): void => client?.disconnect()
    signal.addEventListener('abort', cut, { once: true })
    try {
      client = await makeClient(followed)
      client.on('error', () => {}) // the command that meets it tells
      await within(followed.connectMs, client.connect())
      await listen(client, { ...followed, now: () => clock.now() }, ears, signal, () => {
        tries = 0
      })
    } catch (error) {
      // An outage is the store's to report; that this server forbids what following needs, only we can know.
      const refused = error instanceof Error && error.name === 'ReplyError'
      const message = 'redis refuses to tell what other gateways store'
      if (refused) log.degraded('refused', message, { error: error.message })
    } finally {
      signal.removeEventListener('abort', cut)
      cut()
    }
    const step = Math.min(RETRY_MS.last, RETRY_MS.first * 2 ** Math.min(tries++, 10))
    await clock.sleep(step * (0.5 + clock.random() / 2), signal).catch(() => {}) // aborted: the loop ends
  }
}

interface Listening extends Followed {
  now(): number
}

async function listen(client: Client, followed: Listening, ears: Ears, signal: AbortSignal, onUp: () => void) {
  const notes = notesKey(followed)
  // Before the scan, so that what is written during it is told, if need be twice.
  let [[last] = ['0-0']] = await client.xrevrange(notes, '+', '-', 'COUNT', 1)
  for (const node of client instanceof Cluster ? client.nodes('master') : [client]) {
    await scan(node, followed, ears, signal)
  }
  onUp()
  // Half of what a command may take: a server that is gone without a word is noticed, too.
  const waitMs = Math.max(1, Math.floor(followed.connectMs / 2))
  while (!signal.aborted) {
    const found = await client.xread('COUNT', BATCH, 'BLOCK', waitMs, 'STREAMS', notes, last)
    const keys = new Set<string>()
    for (const [id, [, key]] of found?.[0]?.[1] ?? []) {
      last = id
      if (key?.startsWith(followed.keyPrefix + followed.prefix)) keys.add(key)
    }
    const read = async (key: string) => [key, await readKey(client, key, followed.now(), TOLD_MOST)] as const
    for (const [key, reading] of await Promise.all([...keys].map(read))) tell(followed, ears, signal, key, reading)
  }
}

/** Each node of a cluster has keys of its own, so its values are asked of it alone. */
async function scan(node: Redis, followed: Listening, ears: Ears, signal: AbortSignal): Promise<void> {
  const match = `${literally(followed.keyPrefix + followed.prefix)}*`
  let cursor = '0'
  do {
    const [next, keys] = await node.scan(cursor, 'MATCH', match, 'COUNT', SCAN_COUNT)
    cursor = next
    for (let from = 0; from < keys.length && !signal.aborted; from += BATCH) {
      const batch = keys.slice(from, from + BATCH)
      const read = (key: string) => readKey(node, key, followed.now(), TOLD_MOST).catch(unlessMoved)
      const readings = await Promise.all(batch.map(read))
      for (const [i, key] of batch.entries()) {
        const reading = readings[i]
        // Gone since: nothing was told of it yet.
        if (reading && reading.is !== 'missing') tell(followed, ears, signal, key, reading)
      }
    }
  } while (cursor !== '0' && !signal.aborted)
}

function tell({ keyPrefix }: Listening, { seen, passOver }: Ears, signal: AbortSignal, key: string, reading: Reading) {
  if (signal.aborted) return
  if (reading.is === 'foreign') passOver()
  else if (reading.is === 'missing') seen(key.slice(keyPrefix.length), undefined)
  else if (reading.is === 'entry' && reading.entry.fresh) seen(key.slice(keyPrefix.length), reading.entry.value)
}

/** A key may move to another node while we look; that node tells it. */
function unlessMoved(error: unknown): undefined {
  if (!(error instanceof Error && /^(MOVED|ASK)\b/.test(error.message))) throw error
}

/** For MATCH, where `*?[]\` mean something. */
const literally = (text: string): string => text.replaceAll(/[*?[\]\\]/g, '\\$&')
