import { bareName, regionOf, undated } from './model-names.ts'
import { type PriceRow, priceTable } from './price-table.ts'
import { HOSTS, LISTED_AS, MAKERS } from './vendors.ts'

/** A row of the list, and how sure it is that it is the right one. */
export interface FoundRow {
  readonly row: PriceRow
  /** The row of the model's maker, for a reseller without one of its own. */
  readonly borrowed: boolean
  /** Some regions have a surcharge. */
  readonly factor: number
}

/** The surcharge of regions, where the list has only the price without one. */
const SURCHARGE: Readonly<Record<string, number>> = { eu: 1.1, au: 1.1 }

/** The price list's row for a model of a vendor (a name of the list), or `undefined` when its price is unknown. */
export function lookUp(vendor: string, asked: string): FoundRow | undefined {
  const { region, model } = regionOf(asked.replace(/^models\//, ''))
  const factor = region === undefined ? 1 : (SURCHARGE[region] ?? 1)
  const own = rowOf(LISTED_AS[vendor] ?? vendor, model)
  if (own) return { row: own, borrowed: false, factor }
  if (HOSTS.has(vendor)) return undefined
  for (const maker of MAKERS) {
    const row = rowOf(maker, model)
    if (row) return { row, borrowed: maker !== vendor, factor }
  }
  return undefined
}

/** By the exact name, without its date, then without what resellers add. A local server's row is for every model. */
function rowOf(vendor: string, model: string): PriceRow | undefined {
  const rows = priceTable().prices[vendor]
  if (!rows) return undefined
  const exact = own(rows, model) ?? own(rows, undated(model))
  if (exact) return exact
  const bare = bareRows(vendor, rows)
  const name = bareName(model)
  return bare.get(name) ?? bare.get(undated(name)) ?? own(rows, '*')
}

const own = (rows: Readonly<Record<string, PriceRow>>, model: string): PriceRow | undefined =>
  Object.hasOwn(rows, model) ? rows[model] : undefined

const byVendor = new Map<string, ReadonlyMap<string, PriceRow>>()

/** The rows of a vendor by bare name, with and without dates. Of two under one name the dearer one counts. */
function bareRows(vendor: string, rows: Readonly<Record<string, PriceRow>>): ReadonlyMap<string, PriceRow> {
  const known = byVendor.get(vendor)
  if (known) return known
  const bare = new Map<string, PriceRow>()
  const put = (name: string, row: PriceRow): void => {
    const other = bare.get(name)
    if (!other || row.input + row.output > other.input + other.output) bare.set(name, row)
  }
  for (const [model, row] of Object.entries(rows)) put(bareName(model), row)
  const dated = [...bare].filter(([name]) => undated(name) !== name && !bare.has(undated(name)))
  for (const [name, row] of dated) put(undated(name), row)
  byVendor.set(vendor, bare)
  return bare
}
