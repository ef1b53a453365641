import { isAbsolute } from 'node:path'
import { LoadError, type Loader } from '../../../core/pipeline/loader.ts'
import { PROBLEMS } from '../../../core/pipeline/problems.ts'
import { SECTIONS } from '../../../core/pipeline/read.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import type { Role } from '../../../core/role.ts'
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

/** A plugin file: it says itself which role it plays. */
export const isPath = (name: string): boolean => /^\.{0,2}[/\\]/.test(name) || isAbsolute(name)

/** One plugin with its options: a built-in one, or a file. Throws a plain `Error` for a name that is not there. */
export async function describePlugin(loader: Loader, role: Role, name: string): Promise<Detail> {
  const names = isPath(name) ? undefined : await loader.names(role)
  if (names && !names.includes(name)) {
    throw new Error(`there is no built-in ${role} "${name}"${didYouMean(name, names)}; a file is named by its path`)
  }
  return describe(loader, role, name)
}

/** The plugin in a file, whatever its role. */
export async function describeFile(loader: Loader, path: string): Promise<Detail> {
  const [guess = 'layer'] = ROLES
  try {
    return await describe(loader, guess, path)
  } catch (error) {
    if (!(error instanceof LoadError) || error.actual === undefined) throw error
    return describe(loader, error.actual, path)
  }
}

async function describe(loader: Loader, role: Role, name: string): Promise<Detail> {
  const { plugin, preset, origin } = await loader.load(role, name, process.cwd())
  const alias = origin === 'built-in' && (plugin.name !== name || Object.keys(preset).length > 0)
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

/** The catalogue of what `lint` finds. */
export const problemsText = (): string =>
  table(Object.entries(PROBLEMS).map(([code, { severity, meaning }]) => [code, severity, meaning]))

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
