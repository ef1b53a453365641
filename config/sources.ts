import type { SettingKey } from './schema.ts'

/** The origin of a value. */
export type Source =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'flag'; readonly name: string }

/** A value from a file, a variable or a flag; `path` leads into a map, and is empty for the whole setting. */
export interface GivenValue {
  readonly key: SettingKey
  readonly path: readonly string[]
  readonly value: unknown
  readonly source: Source
}

/** `default`, `service.toml:4`, `SERVICE__PORT`, `--port`. */
export function sourceText(source: Source): string {
  if (source.kind === 'default') return 'default'
  return source.kind === 'file' ? `${source.file}:${source.line}` : source.name
}

export const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** The value in a map at a path. */
export const leafAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inside, name) => (isTable(inside) ? inside[name] : undefined), value)

/** The paths of a map's values, `depth` names deep. */
export function leavesOf(value: unknown, depth: number): string[][] {
  if (depth <= 0 || !isTable(value)) return [[]]
  return Object.entries(value).flatMap(([name, inside]) => leavesOf(inside, depth - 1).map(rest => [name, ...rest]))
}
