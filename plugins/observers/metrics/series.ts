import type { CounterMetric, HistogramMetric, MetricAttributes } from 'deflector/facets/metrics'
import { MOST_SERIES, OPEN, VALUES } from './labels.ts'

export interface MetricDefinition {
  readonly name: string
  readonly help: string
  readonly unit: string
  /** Names of the attributes. */
  readonly attributes: readonly string[]
}

/** The points of one metric, by the values of their attributes. All values come from the lists in `labels.ts`. */
class Series<T> {
  readonly #definition: MetricDefinition
  readonly #create: () => T
  readonly #points = new Map<string, { readonly attributes: MetricAttributes; readonly point: T }>()
  /** By the values as they came; those that clients make up do not fill it. */
  readonly #asGiven = new Map<string, T>()
  readonly #known = new Map<string, Set<string>>()

  constructor(definition: MetricDefinition, create: () => T) {
    this.#definition = definition
    this.#create = create
  }

  point(values: MetricAttributes): T {
    let given = ''
    for (const name of this.#definition.attributes) given += `${values[name] ?? ''}\n`
    const known = this.#asGiven.get(given)
    if (known) return known
    const point = this.#pointOf(values)
    if (this.#asGiven.size < MOST_SERIES) this.#asGiven.set(given, point)
    return point
  }

  #pointOf(values: MetricAttributes): T {
    const { attributes } = this.#definition
    const listed = attributes.map(name => this.#listed(name, values[name] ?? ''))
    const found = this.#points.get(listed.join('\n'))
    if (found) return found.point
    const room = this.#points.size < MOST_SERIES
    return this.#add(room ? listed : attributes.map(name => VALUES[name]?.at(-1) ?? OTHER))
  }

  *[Symbol.iterator](): Generator<{ readonly attributes: MetricAttributes; readonly point: T }> {
    yield* this.#points.values()
  }

  #add(values: readonly string[]): T {
    const key = values.join('\n')
    const known = this.#points.get(key)
    if (known) return known.point
    const named = this.#definition.attributes.map((name, at) => [name, values[at] ?? ''] as const)
    // An attribute that says nothing is left out.
    const attributes = Object.fromEntries(named.filter(([, value]) => value !== ''))
    const point = this.#create()
    this.#points.set(key, { attributes, point })
    return point
  }

  #listed(name: string, value: string): string {
    const most = OPEN[name]
    if (most === undefined) return VALUES[name]?.includes(value) ? value : (VALUES[name]?.at(-1) ?? OTHER)
    const known = this.#known.get(name) ?? new Set()
    this.#known.set(name, known)
    if (!known.has(value) && known.size >= most) return OTHER
    known.add(value)
    return value
  }
}

const OTHER = 'other'

export class Counter {
  readonly #definition: MetricDefinition
  readonly #series: Series<{ value: number }>

  constructor(definition: MetricDefinition) {
    this.#definition = definition
    this.#series = new Series(definition, () => ({ value: 0 }))
  }

  add(attributes: MetricAttributes, value = 1): void {
    this.#series.point(attributes).value += value
  }

  read(): CounterMetric {
    const { name, help, unit } = this.#definition
    const points = [...this.#series].map(({ attributes, point }) => ({ attributes, value: point.value }))
    return { kind: 'counter', name, help, unit, points }
  }
}

export class Histogram {
  readonly #definition: MetricDefinition
  readonly #bounds: readonly number[]
  readonly #series: Series<{ readonly counts: number[]; sum: number; count: number }>

  constructor(definition: MetricDefinition, bounds: readonly number[]) {
    this.#definition = definition
    this.#bounds = bounds
    this.#series = new Series(definition, () => ({ counts: new Array(bounds.length + 1).fill(0), sum: 0, count: 0 }))
  }

  record(attributes: MetricAttributes, value: number): void {
    const point = this.#series.point(attributes)
    const found = this.#bounds.findIndex(bound => value <= bound)
    const bucket = found < 0 ? this.#bounds.length : found
    point.counts[bucket] = (point.counts[bucket] ?? 0) + 1
    point.sum += value
    point.count++
  }

  read(): HistogramMetric {
    const { name, help, unit } = this.#definition
    const points = [...this.#series].map(({ attributes, point }) => ({
      attributes,
      counts: [...point.counts],
      sum: point.sum,
      count: point.count,
    }))
    return { kind: 'histogram', name, help, unit, bounds: this.#bounds, points }
  }
}
