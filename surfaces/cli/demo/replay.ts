import { performance } from 'node:perf_hooks'
import { type DemoRequest, PATHS } from './workload.ts'

/** The outcome of one request. */
export interface Outcome {
  readonly ask: DemoRequest
  readonly status: number
  readonly layer: string
  readonly deflected: boolean
  /** Until the last byte, in milliseconds. */
  readonly ms: number
  /** How the outcome differs from the expected one. */
  readonly wrong?: string
}

/**
 * Sends the workload over HTTP, one request after the other except for rows with `atOnce`. `cloudCalls` gives the number
 * of cloud calls so far: a row makes one, or none when it is deflected.
 */
export async function replay(
  workload: readonly DemoRequest[],
  url: string,
  cloudCalls: () => number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const ask of workload) {
    const before = cloudCalls()
    const replies = await Promise.all(Array.from({ length: ask.atOnce ?? 1 }, () => send(ask, url)))
    const made = cloudCalls() - before
    const expectedCalls = ask.expect === 'l3' ? 1 : 0
    const miscount = made === expectedCalls ? undefined : `made ${made} cloud calls, not ${expectedCalls}`
    for (const reply of replies) {
      const wrong = wrongOf(ask, reply) ?? miscount
      outcomes.push({ ask, ...reply, ...(wrong !== undefined && { wrong }) })
    }
  }
  return outcomes
}

type Reply = Pick<Outcome, 'status' | 'layer' | 'deflected' | 'ms'>

async function send({ surface, body }: DemoRequest, url: string): Promise<Reply> {
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

function wrongOf({ expect, atOnce }: DemoRequest, { status, layer, deflected }: Reply): string | undefined {
  if (status !== 200) return `status ${status}`
  // On a busy machine one of several may come when the others have their answer.
  const isLate = atOnce !== undefined && layer === 'l1a'
  if (layer !== expect && !isLate) return `expected ${expect}`
  return deflected === (layer !== 'l3') ? undefined : `x-service-deflected should be ${layer !== 'l3'}`
}
