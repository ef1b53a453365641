/** The settings as `GET /api/admin/config` has them: a tree, each leaf a setting. */

export interface Setting {
  readonly value: unknown
  readonly source: 'default' | 'file' | 'env' | 'flag'
  /** Where the value stands: `service.toml:4`, a variable or a flag. */
  readonly origin: string
  readonly doc: string
  readonly secret: boolean
  /** False where a variable or a flag stands over the file. */
  readonly writable: boolean
  /** JSON Schema of its values. */
  readonly schema: JsonSchema
}

/** As much of JSON Schema as forms look at. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly pattern?: string
}

export type Table = Readonly<Record<string, unknown>>

export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSetting = (node: unknown): node is Setting =>
  isTable(node) && 'value' in node && 'source' in node && 'schema' in node

/** A setting by its dotted key. */
export function settingAt(tree: Table, key: string): Setting | undefined {
  let node: unknown = tree
  for (const name of key.split('.')) node = isTable(node) ? node[name] : undefined
  return isSetting(node) ? node : undefined
}
