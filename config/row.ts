import { z } from 'zod'

/** How a value is written as text, in a variable or after a flag. */
type Form = 'text' | 'number' | 'boolean' | 'list' | 'json' | 'map'

/** One setting. */
export interface Row<Type extends z.ZodType = z.ZodType> {
  readonly type: Type
  /** A function when it depends on the data directory. */
  readonly default: z.output<Type> | ((dataDir: string) => z.output<Type>)
  /** One line for a person. */
  readonly doc: string
  /** Describes a valid value, as the words after "must be". */
  readonly expects: string
  readonly form: Form
  /** Documented variables without the `SERVICE__` prefix. The key in upper case is read as well, after these. */
  readonly env: readonly string[]
  /** Never shown whole, never quoted in a message. */
  readonly secret: boolean
  /** A URL: messages quote it without the secrets that it may hold. */
  readonly address: boolean
  /** Also read from the file that `<variable>_FILE` names. */
  readonly file: boolean
  /** For a map: number of names between the key and a value (`quota.<provider>.<field>` has two). */
  readonly depth: number
  /** Of a map: the order of its names counts. */
  readonly ordered: boolean
  /** Read and checked, but without effect until its feature exists. `up` warns when it is set. */
  readonly pending: boolean
}

interface RowOptions {
  readonly env?: string | readonly string[]
  readonly secret?: boolean
  readonly address?: boolean
  readonly file?: boolean
  readonly ordered?: boolean
  readonly pending?: boolean
}

function row<Type extends z.ZodType>(
  type: Type,
  fallback: Row<Type>['default'],
  form: Form,
  expects: string,
  doc: string,
  { env = [], ...options }: RowOptions = {},
  depth = 0,
): Row<Type> {
  return { ...PLAIN, type, default: fallback, doc, expects, form, env: [env].flat(), depth, ...options }
}

const PLAIN = { secret: false, address: false, file: false, ordered: false, pending: false } as const

const WEB = /^https?:\/\/[^/\s]+/i
const REDIS = /^rediss?(\+cluster|\+sentinel)?:\/\/[^/\s]+/i

export const text = (fallback: string | ((dataDir: string) => string), doc: string, options?: RowOptions) =>
  row(z.string(), fallback, 'text', 'text', doc, options)

/** Optional text. Without a value, the option of the pipeline file that uses it is omitted. */
export const optionalText = (doc: string, options?: RowOptions) =>
  row(z.string().optional(), undefined, 'text', 'text', doc, options)

/** Optional text that is passed on as `null` when it is not set. */
export const nullableText = (doc: string, options?: RowOptions) =>
  row(z.string().nullable(), null, 'text', 'text', doc, options)

export const url = (fallback: string | undefined, doc: string, options?: RowOptions) =>
  row(z.string().regex(WEB).optional(), fallback, 'text', 'a URL that begins with http:// or https://', doc, {
    ...options,
    address: true,
  })

export const redisUrl = (doc: string, options?: RowOptions) =>
  row(
    z.string().regex(REDIS).optional(),
    undefined,
    'text',
    'a URL that begins with redis://, rediss://, redis+cluster:// or redis+sentinel://',
    doc,
    { ...options, address: true },
  )

export const flag = (fallback: boolean, doc: string, options?: RowOptions) =>
  row(z.boolean(), fallback, 'boolean', 'true or false', doc, options)

/** A whole number; both bounds are included. */
export function wholeNumber(
  fallback: number,
  [min, max]: readonly [number, number?],
  doc: string,
  options?: RowOptions,
) {
  const type = z.int().min(min)
  const expects = max === undefined ? `a whole number, ${min} or more` : `a whole number from ${min} to ${max}`
  return row(max === undefined ? type : type.max(max), fallback, 'number', expects, doc, options)
}

/** A number between 0 and 1, or up to a smaller limit. */
export const ratio = (fallback: number, doc: string, { most = 1, ...options }: RowOptions & { most?: number } = {}) =>
  row(z.number().min(0).max(most), fallback, 'number', `a number from 0 to ${most}`, doc, options)

export function choice<const Names extends readonly [string, string, ...string[]]>(
  names: Names,
  fallback: Names[number],
  doc: string,
  options?: RowOptions,
) {
  const expects = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return row(z.enum(names) as z.ZodType<Names[number]>, fallback, 'text', expects, doc, options)
}

/** Text that must match a pattern. */
export const pattern = (fallback: string, shape: RegExp, expects: string, doc: string, options?: RowOptions) =>
  row(z.string().regex(shape), fallback, 'text', expects, doc, options)

/** A list of names: a TOML array; in a variable a JSON array or names separated by commas. */
export const names = (fallback: string[], doc: string, options?: RowOptions) =>
  row(z.array(z.string().min(1)), fallback, 'list', 'a list of names', doc, options)

/** A list of records: TOML `[[key]]`; in a variable JSON. */
export const records = <Type extends z.ZodType>(type: Type, doc: string, options?: RowOptions) =>
  row(z.array(type), [], 'json', 'a list of records', doc, options)

/** Values under names that the user chooses: TOML `[key.name]`, variables `KEY__name`, or all as JSON. */
export const map = <Type extends z.ZodType<Record<string, unknown>>>(
  type: Type,
  fallback: z.output<Type>,
  depth: number,
  doc: string,
  options?: RowOptions,
) => row(type, fallback, 'map', 'a table', doc, options, depth)
