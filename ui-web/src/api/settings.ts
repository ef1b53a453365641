/** The settings as `GET /api/admin/config` has them: a tree, each leaf a setting. */

/** Where a value comes from. */
interface Place {
  readonly source: 'default' | 'file' | 'env' | 'flag'
  /** Where the value stands: `service.toml:4`, a variable or a flag. */
  readonly origin: string
  /** False where a variable or a flag stands over the file. */
  readonly writable: boolean
}

export interface Setting extends Place {
  /** Title of its section. */
  readonly section: string
  readonly value: unknown
  readonly default: unknown
  readonly doc: string
  /** A valid value, as the words after "must be". */
  readonly expects: string
  /** The first one that is set stands over the file. */
  readonly variables: readonly string[]
  readonly secret: boolean
  /** It has no effect yet. */
  readonly pending: boolean
  /** A change counts from the next start on. */
  readonly restart: boolean
  /** Of a map, each value on its own. */
  readonly parts: readonly (Place & { readonly path: readonly string[] })[]
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
  readonly additionalProperties?: boolean | JsonSchema
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

/** Every setting with its dotted key, in the order of the tree. */
export const settingsIn = (tree: Table, above: readonly string[] = []): readonly KeyedSetting[] =>
  Object.entries(tree).flatMap(([name, inside]): readonly KeyedSetting[] => {
    const path = [...above, name]
    if (isSetting(inside)) return [{ ...inside, key: path.join('.') }]
    return isTable(inside) ? settingsIn(inside, path) : []
  })

export interface KeyedSetting extends Setting {
  readonly key: string
}
