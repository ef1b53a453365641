import { type handleUnaryCall, Server, ServerCredentials, status } from '@grpc/grpc-js'
import protobuf from 'protobufjs'
import { z } from 'zod'
import { opened } from './opened.ts'
import { until } from './until.ts'

/** What a collector is sent, as far as tests look; the rest is passed over. */
const PROTO = `
  syntax = "proto3";
  message Value { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
  message KeyValue { string key = 1; Value value = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message Status { int32 code = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Export { repeated ResourceSpans resource_spans = 1; }
  message NumberPoint { double as_double = 4; sfixed64 as_int = 6; repeated KeyValue attributes = 7; }
  message Sum { repeated NumberPoint data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
  message HistogramPoint {
    fixed64 count = 4; double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
    repeated KeyValue attributes = 9;
  }
  message Histogram { repeated HistogramPoint data_points = 1; int32 aggregation_temporality = 2; }
  message Metric { string name = 1; string unit = 3; Sum sum = 7; Histogram histogram = 9; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message MetricsExport { repeated ResourceMetrics resource_metrics = 1; }
`
const { root } = protobuf.parse(PROTO)
const Export = root.lookupType('Export')
const MetricsExport = root.lookupType('MetricsExport')

const attributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.union([z.string(), z.boolean(), z.number()])) }))
  .default([])
  .transform(list => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]])))
const hex = z.string().transform(base64 => Buffer.from(base64, 'base64').toString('hex'))
const span = z.object({
  traceId: hex,
  spanId: hex,
  parentSpanId: hex.default(''),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes,
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
})
const exported = z.object({
  resourceSpans: z.array(
    z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
})

export type ExportedSpan = z.output<typeof span>

const points = z
  .object({
    dataPoints: z
      .array(
        z.looseObject({
          attributes,
          asInt: z.coerce.number().optional(),
          asDouble: z.number().optional(),
          count: z.coerce.number().optional(),
          sum: z.number().optional(),
          bucketCounts: z.array(z.coerce.number()).optional(),
          explicitBounds: z.array(z.number()).optional(),
        }),
      )
      .default([]),
    aggregationTemporality: z.number(),
    isMonotonic: z.boolean().optional(),
  })
  .optional()
const metric = z.object({ name: z.string(), unit: z.string().default(''), sum: points, histogram: points })
const exportedMetrics = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeMetrics: z.array(z.object({ metrics: z.array(metric).default([]) })).default([]),
    }),
  ),
})

type ExportedMetric = z.output<typeof metric>

export interface Collector {
  readonly url: string
  readonly port: number
  readonly spans: readonly ExportedSpan[]
  /** Those of all exports, in their order. */
  readonly metrics: readonly ExportedMetric[]
  /** Attributes of the service that each export came from. */
  readonly services: readonly Readonly<Record<string, unknown>>[]
  /** All that ever came, as it came. */
  readonly bytes: () => Buffer
  /** Resolves when one of the spans, those to come included, fits. */
  arrived(fits: (span: ExportedSpan) => boolean): Promise<ExportedSpan>
  clear(): void
  close(): void
}

/** A real OTLP gRPC collector on this machine. With `hangs` it takes what comes and never answers. */
export async function startCollector({ port = 0, hangs = false } = {}): Promise<Collector> {
  const server = new Server()
  const received: Buffer[] = []
  const spans: ExportedSpan[] = []
  const metrics: ExportedMetric[] = []
  const services: Record<string, unknown>[] = []
  const asItIs = (bytes: Buffer): Buffer => bytes
  const methodAt = (path: string) =>
    ({
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: asItIs,
      requestDeserialize: asItIs,
      responseSerialize: asItIs,
      responseDeserialize: asItIs,
    }) as const
  const take: handleUnaryCall<Buffer, Buffer> = ({ request }, reply) => {
    received.push(request)
    const plain = Export.toObject(Export.decode(request), { longs: String, bytes: String, enums: Number })
    const read = exported.safeParse(plain)
    if (!read.success) return reply({ code: status.INVALID_ARGUMENT, details: read.error.message })
    for (const { resource, scopeSpans } of read.data.resourceSpans) {
      services.push(resource.attributes)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    }
    if (!hangs) reply(null, Buffer.alloc(0))
  }
  const takeMetrics: handleUnaryCall<Buffer, Buffer> = ({ request }, reply) => {
    received.push(request)
    const plain = MetricsExport.toObject(MetricsExport.decode(request), { longs: String, bytes: String, enums: Number })
    const read = exportedMetrics.safeParse(plain)
    if (!read.success) return reply({ code: status.INVALID_ARGUMENT, details: read.error.message })
    for (const { scopeMetrics } of read.data.resourceMetrics)
      for (const scope of scopeMetrics) metrics.push(...scope.metrics)
    if (!hangs) reply(null, Buffer.alloc(0))
  }
  const traces = methodAt('/opentelemetry.proto.collector.trace.v1.TraceService/Export')
  server.addService({ Export: traces }, { Export: take })
  const measured = methodAt('/opentelemetry.proto.collector.metrics.v1.MetricsService/Export')
  server.addService({ Export: measured }, { Export: takeMetrics })
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) =>
      error ? reject(error) : resolve(at),
    ),
  )
  const close = opened(() => server.forceShutdown())
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    spans,
    metrics,
    services,
    bytes: () => Buffer.concat(received),
    async arrived(fits) {
      await until('a span that fits', () => spans.some(fits))
      const found = spans.find(fits)
      if (!found) throw new Error('the spans were cleared meanwhile')
      return found
    },
    clear: () => {
      spans.length = 0
      metrics.length = 0
    },
    close: () => void close(),
  }
}
