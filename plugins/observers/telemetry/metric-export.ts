import { type HrTime, ValueType } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { metrics, type resources } from '@opentelemetry/sdk-node'
import type { Clock } from 'deflector'
import type { Metric, MetricSnapshot } from 'deflector/facets/metrics'
import { hrTime } from './hr-time.ts'

/** All that is measured now. */
export type ReadSnapshots = () => readonly MetricSnapshot[]

export interface MetricExportContext {
  readonly endpoint: string
  readonly resource: resources.Resource
  readonly version: string
  readonly timeoutMs: number
  readonly clock: Clock
}

/** Time between two exports, in milliseconds: OpenTelemetry's default. */
const INTERVAL_MS = 60_000

/** Exports what others have measured. The library has no instruments of its own here: it only sends. */
export class MetricExport {
  snapshots: ReadSnapshots = () => []
  readonly #provider: metrics.MeterProvider

  constructor({ endpoint, resource, version, timeoutMs, clock }: MetricExportContext) {
    const producer: metrics.MetricProducer = {
      collect: async () => {
        const end = hrTime(clock.now())
        const measured = this.snapshots().flatMap(({ since, metrics: read }) =>
          read.map(metric => dataOf(metric, hrTime(since), end)),
        )
        const scopeMetrics = [{ scope: { name: 'deflector', version }, metrics: measured }]
        return { resourceMetrics: { resource, scopeMetrics }, errors: [] }
      },
    }
    const reader = new metrics.PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter({ url: endpoint, timeoutMillis: timeoutMs }),
      exportIntervalMillis: INTERVAL_MS,
      exportTimeoutMillis: timeoutMs,
      metricProducers: [producer],
    })
    this.#provider = new metrics.MeterProvider({ resource, readers: [reader] })
  }

  /** Exports once more. */
  shutdown(): Promise<void> {
    return this.#provider.shutdown()
  }
}

function dataOf(metric: Metric, startTime: HrTime, endTime: HrTime): metrics.MetricData {
  const { name, help: description, unit } = metric
  const aggregationTemporality = metrics.AggregationTemporality.CUMULATIVE
  if (metric.kind === 'counter') {
    const points = metric.points.map(({ attributes, value }) => ({ startTime, endTime, attributes, value }))
    return {
      descriptor: { name, description, unit, valueType: ValueType.INT },
      aggregationTemporality,
      dataPointType: metrics.DataPointType.SUM,
      isMonotonic: true,
      dataPoints: points,
    }
  }
  const points = metric.points.map(({ attributes, counts, sum, count }) => {
    const value = { buckets: { boundaries: [...metric.bounds], counts: [...counts] }, sum, count }
    return { startTime, endTime, attributes, value }
  })
  return {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality,
    dataPointType: metrics.DataPointType.HISTOGRAM,
    dataPoints: points,
  }
}
