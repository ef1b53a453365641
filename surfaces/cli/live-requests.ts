import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { z } from 'zod'
import { type AdminTarget, adminReply, notDeflector, RefusedError } from './ask-admin.ts'
import { failureLines } from './failure.ts'

/** A request that is over, as the surface `live-requests` tells of it. */
const liveRequest = z.object({
  id: z.string(),
  time: z.string(),
  layer: z.string(),
  status: z.number(),
  ms: z.number(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  client: z.string(),
  tool: z.string(),
  key: z.string().nullable().default(null),
  tags: z.array(z.string()).default([]),
  error: z.string().nullable(),
  saved: z.number(),
  cost_usd: z.number().nullable().default(null),
  saved_cost_usd: z.number().nullable().default(null),
  skipped: z.number(),
})
export type LiveRequest = z.output<typeof liveRequest>

const dropped = z.object({ count: z.number() })

/** What one stream of live requests tells. */
export interface LiveWatcher {
  connected(base: string): void
  /** The next one is read once this resolves. */
  request(request: LiveRequest): Promise<void> | void
  /** So many requests are left out because they came faster than they were read. */
  missed(count: number): void
  /** It will connect again. */
  lost(why: string): void
}

const QUESTION = { path: '/api/admin/live', surface: 'live-requests' }
/** Between two attempts; the wait doubles from the first to the longest. */
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** A gateway says something every 10 seconds unless its `keep_alive_secs` is longer. */
const SILENCE_MS = 120_000

/**
 * Follows the live requests until `signal`, and connects again when the stream ends. The target is looked up for each
 * attempt. Rejects if the first attempt fails, and where the gateway refuses.
 */
export async function followLive(find: () => AdminTarget, watcher: LiveWatcher, signal: AbortSignal): Promise<void> {
  let everConnected = false
  let wait = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      await readLive(
        find(),
        {
          ...watcher,
          connected(base) {
            everConnected = true
            wait = FIRST_WAIT_MS
            watcher.connected(base)
          },
        },
        signal,
      )
      if (!signal.aborted) watcher.lost('the gateway ended the stream')
    } catch (error) {
      if (signal.aborted) return
      if (!everConnected || error instanceof RefusedError) throw error
      watcher.lost(failureLines(error)[0] ?? '')
    }
    await sleep(wait, undefined, { signal }).catch(() => {})
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

/** One stream, to its end. */
async function readLive(target: AdminTarget, watcher: LiveWatcher, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const stop = (): void => over.abort()
  signal.addEventListener('abort', stop, { once: true })
  const silence = setTimeout(stop, SILENCE_MS)
  try {
    const { body } = await adminReply(target, QUESTION, over.signal)
    if (!body) throw notDeflector(target, QUESTION)
    watcher.connected(target.base)
    const events: EventSourceMessage[] = []
    const parser = createParser({ onEvent: event => events.push(event) })
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      silence.refresh()
      parser.feed(text)
      for (const event of events.splice(0)) await tell(event, watcher, target)
    }
  } catch (error) {
    // The stream breaks off where the gateway is killed.
    if (!(error instanceof TypeError) && !over.signal.aborted) throw error
  } finally {
    clearTimeout(silence)
    signal.removeEventListener('abort', stop)
    over.abort()
  }
}

async function tell({ event, data }: EventSourceMessage, watcher: LiveWatcher, target: AdminTarget): Promise<void> {
  const json = z.string().transform(parsed)
  if (event === 'request') {
    const read = json.pipe(liveRequest).safeParse(data)
    if (!read.success) throw notDeflector(target, QUESTION)
    if (read.data.skipped > 0) watcher.missed(read.data.skipped)
    await watcher.request(read.data)
  }
  if (event === 'dropped') watcher.missed(json.pipe(dropped).safeParse(data).data?.count ?? 0)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
