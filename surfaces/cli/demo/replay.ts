import { performance } from 'node:perf_hooks'
import { type Ask, PATHS } from './workload.ts'

/** What came of one request. */
export interface Outcome {
  readonly ask: Ask
  readonly status: number
  readonly layer: string
  readonly deflected: boolean
  /** Until the last byte, in milliseconds. */
  readonly ms: number
  /** Why this is not what was expected. */
  readonly wrong?: string
}

/**
 * Sends the workload over HTTP, one request after the other except where a row wants several at once. `cloudCalls` says
 * how many calls have left the gateway so far: a row costs one, or none when it is to be deflected.
 */
export async function replay(workload: readonly Ask[], url: string, cloudCalls: () => number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const ask of workload) {
    const before = cloudCalls()
    const replies = await Promise.all(Array.from({ length: ask.atOnce ?? 1 }, () => send(ask, url)))
    const made = cloudCalls() - before
    const wanted = ask.expect === 'l3' ? 1 : 0
    const cost = made === wanted ? undefined : `made ${made} cloud calls, not ${wanted}`
    for (const reply of replies) {
      const wrong = wrongOf(ask, reply) ?? cost
      outcomes.push({ ask, ...reply, ...(wrong !== undefined && { wrong }) })
    }
  }
  return outcomes
}

type Reply = Pick<Outcome, 'status' | 'layer' | 'deflected' | 'ms'>

async function send({ surface, body }: Ask, url: string): Promise<Reply> {
  const begin = performance.now()
  const response = await fetch(url + PATHS[surface], {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return {
    status: response.status,
    layer: response.headers.get('x-service-layer') ?? '-',
    deflected: response.headers.get('x-service-deflected') === 'true',
    ms: performance.now() - begin,
  }
}

function wrongOf({ expect }: Ask, { status, layer, deflected }: Reply): string | undefined {
  if (status !== 200) return `status ${status}`
  if (layer !== expect) return `expected ${expect}`
  return deflected === (expect !== 'l3') ? undefined : `x-service-deflected should be ${expect !== 'l3'}`
}
