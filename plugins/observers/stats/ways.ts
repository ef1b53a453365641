import type { Attempt, AttemptOutcome, Exchange } from 'deflector'
import type { FlowTraffic, Passage, ProviderTraffic } from 'deflector/facets/flow-traffic'
import { isWatching } from 'deflector/formats/watching-call'

/** Ways that are counted; more come only of pipelines that were reloaded with many names. */
const MOST_WAYS = 2_000

type Counted<T> = { -readonly [Name in keyof T]: T[Name] }

/** The ways of requests through flows, by instance names alone. */
export class Ways implements FlowTraffic {
  readonly #passages = new Map<string, Counted<Passage>>()
  readonly #providers = new Map<string, Counted<ProviderTraffic>>()

  constructor(readonly since: number) {}

  add(exchange: Exchange): void {
    const { kind, surface, flow, trail, decidedBy, failure } = exchange
    // What came from outside to be stored asks nobody, and what was inspected nobody sent.
    if (kind === 'put' || kind === 'inspect' || isWatching(exchange)) return
    const last = trail.findLast(({ hook }) => hook === 'answer') ?? trail.findLast(({ hook }) => hook === 'receive')
    const reached = last?.tap ?? decidedBy ?? null
    const ended = decidedBy ?? null
    const fresh = () => ({ surface, flow, reached, ended, requests: 0, failed: 0 })
    const passage = wayOf(this.#passages, [surface, flow, reached, ended], fresh)
    if (!passage) return
    passage.requests++
    if (failure) passage.failed++
  }

  addCall({ flow, trail }: Exchange, { provider }: Attempt, { outcome }: AttemptOutcome): void {
    const layer = trail.findLast(({ hook }) => hook === 'answer')?.tap
    if (layer === undefined || outcome === 'refused') return
    const fresh = () => ({ flow, layer, provider, calls: 0, failed: 0 })
    const calls = wayOf(this.#providers, [flow, layer, provider], fresh)
    if (!calls) return
    calls.calls++
    if (outcome === 'failed') calls.failed++
  }

  passages(): readonly Passage[] {
    return [...this.#passages.values()]
  }

  providers(): readonly ProviderTraffic[] {
    return [...this.#providers.values()]
  }
}

function wayOf<T>(ways: Map<string, T>, names: readonly (string | null)[], create: () => T): T | undefined {
  const id = names.join('\n')
  const known = ways.get(id)
  if (known !== undefined || ways.size >= MOST_WAYS) return known
  const fresh = create()
  ways.set(id, fresh)
  return fresh
}
