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

/** Sends the workload over HTTP, one request after the other except where a row wants several at once. */
export async function replay(workload: readonly Ask[], url: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const ask of workload) {
    const replies = await Promise.all(Array.from({ length: ask.atOnce ?? 1 }, () => send(ask, url)))
    const answers = new Set(replies.map(reply => idOf(reply.text)))
    for (const { status, layer, deflected, ms } of replies) {
      const shared = ask.atOnce === undefined || answers.size === 1
      const wrong = wrongOf(ask, status, layer, deflected) ?? (shared ? undefined : 'did not share one upstream call')
      outcomes.push({ ask, status, layer, deflected, ms, ...(wrong !== undefined && { wrong }) })
    }
  }
  return outcomes
}

interface Reply extends Pick<Outcome, 'status' | 'layer' | 'deflected' | 'ms'> {
  readonly text: string
}

async function send({ surface, body }: Ask, url: string): Promise<Reply> {
  const begin = performance.now()
  const response = await fetch(url + PATHS[surface], {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    layer: response.headers.get('x-service-layer') ?? '-',
    deflected: response.headers.get('x-service-deflected') === 'true',
    ms: performance.now() - begin,
    text,
  }
}

function wrongOf({ expect }: Ask, status: number, layer: string, deflected: boolean): string | undefined {
  if (status !== 200) return `status ${status}`
  if (layer !== expect) return `expected ${expect}`
  return deflected === (expect !== 'l3') ? undefined : `x-service-deflected should be ${expect !== 'l3'}`
}

/** The answer's own id: the demo provider makes a new one for each call. */
const idOf = (text: string): string => /"id":\s*"([^"]+)"/.exec(text)?.[1] ?? text
