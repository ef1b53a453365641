import { createParser } from 'eventsource-parser'
import { useEffect, useState } from 'react'
import { send } from './ask.ts'

/** A request that is over, as `/api/admin/live` tells of it. */
export interface LiveRequest {
  readonly id: string
  readonly time: string
  readonly layer: string
  readonly status: number
  readonly ms: number
  readonly model: string | null
  /** That answered; `null` where no vendor was asked. */
  readonly provider: string | null
  readonly client: string
  readonly tool: string
  /** Label of the gateway key. */
  readonly key: string | null
  readonly tags: readonly string[]
  /** Code of the failure. */
  readonly error: string | null
  /** Tokens, roughly. */
  readonly saved: number
  /** USD; `null` where it is not known. */
  readonly cost_usd: number | null
  readonly saved_cost_usd: number | null
  /** Requests before this one that were not told of. */
  readonly skipped: number
}

export interface Live {
  /** Newest first. */
  readonly requests: readonly LiveRequest[]
  readonly connected: boolean
}

/** From the first failure on, between two tries. */
const RETRY_MS = [1000, 2000, 5000, 10_000] as const
/** Requests that came together are drawn together, in milliseconds. */
const GATHER_MS = 200

/** Requests as they end, at most the last `most`. `EventSource` can send no key, so the stream is read by hand. */
export function useLive(most: number): Live {
  const [live, setLive] = useState<Live>({ requests: [], connected: false })
  useEffect(() => {
    const aborter = new AbortController()
    const waiting: LiveRequest[] = []
    let drawing: number | undefined
    const draw = (): void => {
      drawing = undefined
      const fresh = waiting.splice(0).reverse()
      setLive(({ requests }) => ({ requests: [...fresh, ...requests].slice(0, most), connected: true }))
    }
    const see = (request: LiveRequest): void => {
      waiting.push(request)
      if (waiting.length > most) waiting.shift()
      drawing ??= window.setTimeout(draw, GATHER_MS)
    }
    const connected = (is: boolean): void => setLive(({ requests }) => ({ requests, connected: is }))
    void follow(see, connected, aborter.signal)
    return () => {
      aborter.abort()
      clearTimeout(drawing)
    }
  }, [most])
  return live
}

async function follow(
  see: (request: LiveRequest) => void,
  connected: (is: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const response = await send('/api/admin/live', { signal })
      connected(true)
      failures = -1
      await readEvents(response, see)
    } catch {
      // Told by `connected`; who asks for other things at the same time tells why.
    }
    if (signal.aborted) return
    connected(false)
    const pause = RETRY_MS[Math.min(Math.max(failures, 0), RETRY_MS.length - 1)]
    await new Promise(resolve => setTimeout(resolve, pause))
  }
}

async function readEvents({ body }: Response, see: (request: LiveRequest) => void): Promise<void> {
  if (!body) return
  const parser = createParser({
    onEvent({ event, data }) {
      const request: unknown = event === 'request' ? JSON.parse(data) : undefined
      if (isLiveRequest(request)) see(request)
    },
  })
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) parser.feed(part.value)
}

const isLiveRequest = (value: unknown): value is LiveRequest =>
  typeof value === 'object' && value !== null && 'id' in value && 'layer' in value && 'status' in value
