import { facet } from 'deflector'

/** The values of a point's attributes, by name. */
export type MetricAttributes = Readonly<Record<string, string>>

interface MetricHead {
  /** `service_requests_total`, `gen_ai.client.token.usage`. */
  readonly name: string
  readonly help: string
  /** UCUM: `s`, `{token}`, `1`. */
  readonly unit: string
}

/** A sum that only grows. */
export interface CounterMetric extends MetricHead {
  readonly kind: 'counter'
  readonly points: readonly { readonly attributes: MetricAttributes; readonly value: number }[]
}

export interface HistogramMetric extends MetricHead {
  readonly kind: 'histogram'
  /** Upper bounds of the buckets, ascending; behind the last one is another bucket. */
  readonly bounds: readonly number[]
  readonly points: readonly HistogramPoint[]
}

export interface HistogramPoint {
  readonly attributes: MetricAttributes
  /** Observations in each bucket, one more than there are bounds. */
  readonly counts: readonly number[]
  readonly sum: number
  readonly count: number
}

export type Metric = CounterMetric | HistogramMetric

/** All that was measured since `since`, milliseconds since 1970. */
export interface MetricSnapshot {
  readonly since: number
  readonly metrics: readonly Metric[]
}

export const metricSnapshot = facet<() => MetricSnapshot>('metric-snapshot')
