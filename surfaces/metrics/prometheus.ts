import type { Metric, MetricAttributes } from 'deflector/facets/metrics'

/**
 * Metrics in Prometheus' text format 0.0.4. Names with dots get underscores, and the unit at their end, as OpenTelemetry's
 * rules for Prometheus have it; a name that ends in it already keeps it.
 */
export function prometheusText(metrics: readonly Metric[]): string {
  let text = ''
  for (const metric of metrics) {
    const name = nameOf(metric)
    text += `# HELP ${name} ${metric.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${metric.kind}\n`
    for (const line of linesOf(name, metric)) text += line
  }
  return text
}

function* linesOf(name: string, metric: Metric): Generator<string> {
  if (metric.kind === 'counter') {
    for (const { attributes, value } of metric.points) yield `${name}${labels(attributes)} ${value}\n`
    return
  }
  for (const { attributes, counts, sum, count } of metric.points) {
    let below = 0
    for (const [at, bound] of metric.bounds.entries()) {
      below += counts[at] ?? 0
      yield `${name}_bucket${labels({ ...attributes, le: String(bound) })} ${below}\n`
    }
    yield `${name}_bucket${labels({ ...attributes, le: '+Inf' })} ${count}\n`
    yield `${name}_sum${labels(attributes)} ${sum}\n${name}_count${labels(attributes)} ${count}\n`
  }
}

const plain = (name: string): string => name.replace(/[^a-zA-Z0-9_]/g, '_')

function nameOf({ name, unit, kind }: Metric): string {
  const base = plain(name)
  const suffix = unit === 's' ? '_seconds' : ''
  const withUnit = suffix === '' || base.endsWith(suffix) ? base : base + suffix
  return kind === 'counter' && !withUnit.endsWith('_total') ? `${withUnit}_total` : withUnit
}

function labels(attributes: MetricAttributes): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${plain(name)}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
