import type { Metric } from 'deflector/facets/metrics'
import type { CacheEvent } from 'deflector/formats/cache-lookups'
import type { ExchangeRecord } from 'deflector/formats/exchange-record'
import { LAYER_NAMES } from 'deflector/formats/layer-names'
import { LAYER_BOUNDS, REQUEST_BOUNDS } from './labels.ts'
import { Counter, Histogram } from './series.ts'

const BYTES_PER_TOKEN = 4
const SECONDS = 's'
const ONE = '1'

/** What the metrics need of an exchange beside its record. */
export interface Measured {
  readonly record: ExchangeRecord
  readonly events: readonly CacheEvent[]
  /** How often a vendor was asked. */
  readonly calls: number
  readonly operation: string
  /** Of the request's body. */
  readonly bytes: number
  /** Names of layers in traces, by instance name. */
  readonly names: ReadonlyMap<string, string>
}

/** The metrics of the specification, under its names. */
export class ServiceMetrics {
  readonly #requests = new Counter({
    name: 'service_requests_total',
    help: 'Requests, by the layer that answered or refused them.',
    unit: ONE,
    attributes: ['final_layer', 'status_code', 'traffic_surface', 'client', 'endpoint_family', 'tool'],
  })
  readonly #durations = new Histogram(
    {
      name: 'service_request_duration_seconds',
      help: 'Time from a request to the end of its answer.',
      unit: SECONDS,
      attributes: ['final_layer', 'status_code', 'traffic_surface', 'client', 'endpoint_family'],
    },
    REQUEST_BOUNDS,
  )
  readonly #layers = new Histogram(
    {
      name: 'service_layer_duration_seconds',
      help: 'Time that a layer took to answer or to pass; of a stream, to its beginning.',
      unit: SECONDS,
      attributes: ['layer_name', 'tool'],
    },
    LAYER_BOUNDS,
  )
  readonly #saved = new Counter({
    name: 'service_tokens_saved_total',
    help: 'Input tokens of requests that no vendor was asked for: a fourth of their bytes.',
    unit: '{token}',
    attributes: ['final_layer', 'traffic_surface', 'client', 'endpoint_family', 'tool'],
  })
  readonly #errors = new Counter({
    name: 'service_errors_total',
    help: 'Refusals and failures.',
    unit: ONE,
    attributes: ['layer', 'error_class', 'tool'],
  })
  readonly #retries = new Counter({
    name: 'service_retries_total',
    help: 'Requests that took more than one vendor call.',
    unit: ONE,
    attributes: ['operation', 'attempts', 'outcome', 'tool'],
  })
  readonly #caches = new Counter({
    name: 'service_cache_events_total',
    help: 'What became of requests and answers at the caches.',
    unit: ONE,
    attributes: ['cache_layer', 'outcome', 'tool'],
  })

  add({ record, events, calls, operation, bytes, names }: Measured): void {
    const { tool, client, endpoint_family, traffic_surface, error, trail } = record
    const final_layer = LAYER_NAMES[record.final_layer] ?? ''
    const who = { final_layer, traffic_surface, client, endpoint_family, tool }
    const answered = { ...who, status_code: String(record.status) }
    this.#requests.add(answered)
    this.#durations.record(answered, record.latency_ms / 1000)
    for (const { hook, tap, ms } of trail) {
      const layer_name = hook === 'answer' ? names.get(tap) : undefined
      if (layer_name !== undefined) this.#layers.record({ layer_name, tool }, ms / 1000)
    }
    if (record.deflected) this.#saved.add(who, Math.max(1, Math.floor(bytes / BYTES_PER_TOKEN)))
    if (error !== null) this.#errors.add({ layer: final_layer, error_class: error, tool })
    if (calls > 1) {
      const outcome = error === null ? 'success' : 'failure'
      this.#retries.add({ operation, attempts: calls > 4 ? '5_or_more' : String(calls), outcome, tool })
    }
    for (const { layer, outcome } of events) this.#caches.add({ cache_layer: layer, outcome, tool })
  }

  read(): Metric[] {
    const all = [this.#requests, this.#durations, this.#layers, this.#saved, this.#errors, this.#retries, this.#caches]
    return all.map(metric => metric.read())
  }
}
