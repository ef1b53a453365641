import type { Loader } from '../../../core/pipeline/loader.ts'
import { SECTIONS } from '../../../core/pipeline/read.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import type { Role } from '../../../core/plugin.ts'
import { type OptionRow, optionRows } from './shape.ts'

/** One name that `use` knows by itself. */
export interface Listing {
  readonly role: Role
  readonly name: string
  readonly summary: string
  /** The plugin behind an alias. */
  readonly plugin?: string
  /** Options that the alias brings along. */
  readonly preset?: Readonly<Record<string, unknown>>
}

export interface Detail extends Listing {
  readonly options: readonly OptionRow[]
}

export const ROLES: readonly Role[] = Object.values(SECTIONS)

/** Every built-in plugin and alias, of one role or of all. */
export async function listPlugins(loader: Loader, role?: Role): Promise<Listing[]> {
  const listings: Listing[] = []
  for (const one of role ? [role] : ROLES) {
    for (const name of await loader.names(one)) {
      const { options, ...listing } = await describe(loader, one, name)
      listings.push(listing)
    }
  }
  return listings
}

/** One plugin with its options. Throws a plain `Error` for a name that is not there. */
export async function describePlugin(loader: Loader, role: Role, name: string): Promise<Detail> {
  const names = await loader.names(role)
  if (!names.includes(name)) throw new Error(`there is no built-in ${role} "${name}"${didYouMean(name, names)}`)
  return describe(loader, role, name)
}

async function describe(loader: Loader, role: Role, name: string): Promise<Detail> {
  const { plugin, preset } = await loader.load(role, name, process.cwd())
  const alias = plugin.name !== name || Object.keys(preset).length > 0
  return {
    role,
    name,
    summary: plugin.summary,
    ...(alias && { plugin: plugin.name, preset }),
    options: optionRows(plugin),
  }
}

export const listText = (listings: readonly Listing[]): string =>
  table(
    listings.map(({ role, name, summary, plugin }) => [
      role,
      name,
      plugin === undefined ? summary : `is ${plugin} with a preset`,
    ]),
  )

export function detailText({ role, name, summary, plugin, preset, options }: Detail): string {
  const head = [`${role} ${name}${summary ? `: ${summary}` : ''}`]
  if (plugin !== undefined) head.push(`is ${plugin} with ${JSON.stringify(preset)}`)
  if (options.length === 0) return [...head, 'It has no options.'].join('\n')
  const rows = options.map(({ option, type, required, default: fallback, description }) => {
    const set = preset?.[option] ?? fallback
    return [option, type, set === undefined ? (required ? 'required' : '') : JSON.stringify(set), description]
  })
  return [...head, '', table([['option', 'type', 'default', 'description'], ...rows])].join('\n')
}

/** Columns as wide as their widest cell; the last one runs on. */
function table(rows: readonly (readonly string[])[]): string {
  const width = (column: number): number => Math.max(0, ...rows.map(row => row[column]?.length ?? 0))
  return rows
    .map(row =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(width(column))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
