import { type Exchange, Memo, type TrailRow } from 'deflector'
import { type AttemptRecord, attemptsOf } from './attempt-records.ts'
import { clientIdentity } from './client-identity.ts'
import { tagsOf } from './request-tags.ts'

/** An exchange that is over, in plain facts for those who watch. No prompt, no answer, no key. */
export interface ExchangeRecord {
  readonly request_id: string
  /** ISO 8601: when the request came. */
  readonly timestamp: string
  readonly kind: Exchange['kind']
  readonly method: string | null
  /** Without its query. */
  readonly path: string | null
  /** The host that the request was sent to. */
  readonly hostname: string | null
  /** Instance name. */
  readonly surface: string
  readonly traffic_surface: string
  readonly endpoint_family: string
  readonly client: string
  readonly tool: string
  /** Label of the gateway key that it came with. */
  readonly principal: string | null
  readonly tags: readonly string[]
  readonly model: string | null
  /** Instance name of the provider that answered. */
  readonly provider: string | null
  /** Label of the layer, as in `X-Service-Layer`. */
  readonly final_layer: string
  /** Instance name of the layer that answered or failed. */
  readonly resolved_by: string | null
  /** Answered without a cloud call; never a refusal or failure. */
  readonly deflected: boolean
  /** What the client was told, or would have been before its head was out. */
  readonly status: number
  /** Code of the failure. */
  readonly error: string | null
  readonly latency_ms: number
  /** What its vendor calls cost, in USD: a guess, filled in by who books it. `null` until then, and where it is unknown. */
  readonly cost_usd: number | null
  /** What a deflected request would have cost, as above. */
  readonly saved_cost_usd: number | null
  /** Tokens that a deflected request would have used. */
  readonly saved_tokens: number | null
  /** The exchange's own rows: `trailRecords` has them as JSON. */
  readonly trail: readonly TrailRow[]
  readonly attempts: readonly AttemptRecord[]
}

/** One step of an exchange as JSON. */
export interface TrailRecord {
  readonly hook: string
  /** Instance name of the layer or observer. */
  readonly layer: string
  readonly ms: number
  readonly outcome: string
}

/** Callers and plugins from outside choose these texts. */
const LONGEST_NAME = 200
/** Steps of an exchange; a chain with many attempts has one more for each tap of `attempt`. */
const MOST_STEPS = 64

const records = new Memo<ExchangeRecord>()

/** The record of an exchange; made once, by the first observer that asks in `finish`. `now`: milliseconds since 1970. */
export function exchangeRecord(exchange: Exchange, now: number): ExchangeRecord {
  const known = records.of(exchange)
  if (known) return known
  const record = recordOf(exchange, now)
  records.set(exchange, record)
  return record
}

/** Fills in what a recorded exchange cost and saved. */
export function noteSums(exchange: Exchange, sums: Sums): void {
  const record = records.of(exchange)
  if (record) Object.assign(record, sums)
}
type Sums = Pick<ExchangeRecord, 'cost_usd' | 'saved_cost_usd' | 'saved_tokens'>

/** Adds the cost of a vendor call that ended after its exchange. */
export function noteLateCost(exchange: Exchange, usd: number | null): void {
  const known = records.of(exchange)
  if (!known) return
  const cost_usd = known.cost_usd === null || usd === null ? null : known.cost_usd + usd
  Object.assign(known, { cost_usd } satisfies Partial<Sums>)
}

/** The status that the client of this exchange was told, as far as the gateway decides it. */
export const statusOf = (exchange: Exchange): number => exchange.failure?.status ?? (isMiss(exchange) ? 204 : 200)

/** A lookup that is a part of another call has no reply of its own. */
const isMiss = ({ kind, call, answer }: Exchange): boolean =>
  kind === 'lookup' && call !== undefined && (answer === undefined || answer.kind === 'bytes')

function recordOf(exchange: Exchange, now: number): ExchangeRecord {
  const { id, kind, call, headers, surface, principal, model, layer, decidedBy, answer, failure, startedAt } = exchange
  const { tool, client, endpointFamily, trafficSurface } = clientIdentity(exchange)
  return {
    request_id: id,
    timestamp: new Date(startedAt).toISOString(),
    kind,
    method: call?.method ?? null,
    path: short(call?.path),
    hostname: short(headers.host),
    surface,
    traffic_surface: trafficSurface,
    endpoint_family: endpointFamily,
    client,
    tool,
    principal: short(principal),
    tags: tagsOf(headers),
    model: short(model),
    provider: (exchange.deflected ? undefined : answer?.facts.provider) ?? null,
    final_layer: layer,
    resolved_by: decidedBy ?? null,
    deflected: exchange.deflected && failure === undefined,
    status: statusOf(exchange),
    error: failure?.code ?? null,
    latency_ms: Math.max(0, now - startedAt),
    cost_usd: null,
    saved_cost_usd: null,
    saved_tokens: null,
    trail: exchange.trail,
    attempts: attemptsOf(exchange),
  }
}

/** The steps of a record as JSON. */
export const trailRecords = ({ trail }: Pick<ExchangeRecord, 'trail'>): TrailRecord[] =>
  trail.slice(0, MOST_STEPS).map(({ hook, tap, ms, outcome }) => ({
    hook,
    layer: tap,
    ms: Math.round(ms * 1000) / 1000,
    outcome: outcome.slice(0, LONGEST_NAME),
  }))

const short = (text: string | undefined): string | null => text?.slice(0, LONGEST_NAME) ?? null
