import type { UsageEvent } from './event.ts'
import { addAttempt, addRequest, addSums, decodeSums, encodeSums, noSums, type Sums } from './sums.ts'

export const HOUR_MS = 3_600_000
export const HOURS_PER_DAY = 24

/** By what usage is added up. Keys of `model` are provider and model, separated by a line break. */
const DIMENSIONS = ['model', 'key', 'principal', 'tag', 'tool', 'layer'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** Clients choose some of the names: more of them in one hour count together. */
const MOST: Readonly<Record<Dimension, number>> = {
  model: 200,
  key: 100,
  principal: 100,
  tag: 100,
  tool: 50,
  layer: 50,
}
const OTHERS: Readonly<Record<Dimension, string>> = {
  model: 'other\nother',
  key: 'other',
  principal: 'other',
  tag: 'other',
  tool: 'other',
  layer: 'other',
}

/** Days of which hours are told apart. */
const DAYS_BY_HOUR = 8

type Table = Map<string, Sums>
type HourTables = Map<Dimension, Table>

/** An hour as it is written down: its tables by dimension, their rows by key. */
export type WrittenHour = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>

/** Usage added up by hour since 1970, in constant memory: the events themselves are on the disk. */
export class Aggregates {
  readonly #hours = new Map<number, HourTables>()

  /** Adds an event to its hour, or to the nearest one of the day whose file holds it (days since 1970). */
  add(event: UsageEvent, day: number, at = Date.parse(event.timestamp)): void {
    const tables = this.#at(within(day, hourOf(at)))
    addRequest(row(tables, 'model', modelKey(event)), event)
    for (const attempt of event.attempts) {
      addAttempt(row(tables, 'model', modelKey(attempt)), attempt)
      if (attempt.key !== null) {
        const own = row(tables, 'key', `${attempt.provider}/${attempt.key}`)
        own.requests++
        addAttempt(own, attempt)
      }
    }
    const whole = (dimension: Dimension, key: string): void => {
      const own = row(tables, dimension, key)
      addRequest(own, event)
      for (const attempt of event.attempts) addAttempt(own, attempt)
    }
    whole('principal', event.principal ?? NONE)
    for (const tag of event.tags) whole('tag', tag)
    whole('tool', event.tool)
    whole('layer', layerLabel(event.final_layer))
  }

  /** The hours of which something is known, in no order. */
  get hours(): Iterable<number> {
    return this.#hours.keys()
  }

  /** Rows of one dimension in the hours from `first` on and before `end`, by key. */
  rows(dimension: Dimension, first: number, end = Number.POSITIVE_INFINITY): Map<string, Sums> {
    const sums: Table = new Map()
    for (const [hour, tables] of this.#hours)
      if (hour >= first && hour < end)
        for (const [key, more] of tables.get(dimension) ?? []) addSums(sumsAt(sums, key), more)
    return sums
  }

  /** Hours of a day that have rows, as they are written down. */
  *written(day: number): Generator<[hour: number, tables: WrittenHour]> {
    for (let hour = day * HOURS_PER_DAY; hour < (day + 1) * HOURS_PER_DAY; hour++) {
      const tables = this.#hours.get(hour)
      if (!tables) continue
      const text = [...tables].map(
        ([dimension, table]) =>
          [dimension, Object.fromEntries([...table].map(([key, sums]) => [key, encodeSums(sums)]))] as const,
      )
      yield [hour, Object.fromEntries(text)]
    }
  }

  /** Adds an hour that was written down. */
  restore(hour: number, tables: WrittenHour): void {
    for (const dimension of DIMENSIONS)
      for (const [key, numbers] of Object.entries(tables[dimension] ?? {}))
        addSums(row(this.#at(hour), dimension, dimension === 'layer' ? layerLabel(key) : key), decodeSums(numbers))
  }

  /** Adds all hours of others; those of events that one file holds to the hours of its day. */
  merge(more: Aggregates, day?: number): void {
    for (const [hour, tables] of more.#hours) {
      const own = this.#at(day === undefined ? hour : within(day, hour))
      for (const [dimension, table] of tables) for (const [key, sums] of table) addSums(row(own, dimension, key), sums)
    }
  }

  /** Joins the hours of days that are long over into one each, and forgets what is older than `days` before `today`. */
  compact(today: number, days: number): void {
    for (const [hour, tables] of [...this.#hours]) {
      const day = Math.floor(hour / HOURS_PER_DAY)
      if (day < today - days) this.#hours.delete(hour)
      else if (day <= today - DAYS_BY_HOUR && hour !== day * HOURS_PER_DAY) {
        this.#hours.delete(hour)
        for (const [dimension, table] of tables)
          for (const [key, sums] of table) addSums(row(this.#at(day * HOURS_PER_DAY), dimension, key), sums)
      }
    }
  }

  #at(hour: number): HourTables {
    let tables = this.#hours.get(hour)
    if (!tables) {
      tables = new Map()
      this.#hours.set(hour, tables)
    }
    return tables
  }
}

/** Ledgers of before have `L1a_ExactCache` for what headers and logs call `l1a`. */
const layerLabel = (name: string): string => /^L\d[a-z]?(?:_\d)?(?=_[A-Z])/.exec(name)?.[0].toLowerCase() ?? name

/** What can be asked of sums. */
export type ReadableSums = Pick<Aggregates, 'hours' | 'rows'>

/** The sums of several files as one. */
export function together(parts: () => readonly Aggregates[]): ReadableSums {
  return {
    get hours() {
      return new Set(parts().flatMap(part => [...part.hours]))
    },
    rows(dimension, first, end) {
      const sums: Table = new Map()
      for (const part of parts())
        for (const [key, more] of part.rows(dimension, first, end)) addSums(sumsAt(sums, key), more)
      return sums
    },
  }
}

export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS)
export const dayOf = (ms: number): number => Math.floor(hourOf(ms) / HOURS_PER_DAY)

/** The hour of a day that is nearest to `hour`. */
const within = (day: number, hour: number): number =>
  Math.min(Math.max(hour, day * HOURS_PER_DAY), (day + 1) * HOURS_PER_DAY - 1)

const NONE = 'none'
const modelKey = ({ provider, model }: { readonly provider: string | null; readonly model: string | null }): string =>
  `${provider ?? NONE}\n${model ?? NONE}`

function row(tables: HourTables, dimension: Dimension, key: string): Sums {
  let table = tables.get(dimension)
  if (!table) {
    table = new Map()
    tables.set(dimension, table)
  }
  return sumsAt(table, table.has(key) || table.size < MOST[dimension] ? key : OTHERS[dimension])
}

function sumsAt(table: Table, key: string): Sums {
  let sums = table.get(key)
  if (!sums) {
    sums = noSums()
    table.set(key, sums)
  }
  return sums
}
