import { z } from 'zod'

/** How a value is written where only text can stand: in a variable, or behind a flag. */
type Form = 'text' | 'number' | 'boolean' | 'list' | 'json' | 'map'

/** One setting. */
export interface Row<Type extends z.ZodType = z.ZodType> {
  readonly type: Type
  /** A function where the data directory decides. */
  readonly default: z.output<Type> | ((dataDir: string) => z.output<Type>)
  /** One line for a person. */
  readonly doc: string
  /** What a good value is, to stand after "must be". */
  readonly expects: string
  readonly form: Form
  /** Documented variables without the `SERVICE__` prefix; the upper-cased key is read as well, after these. */
  readonly env: readonly string[]
  /** Never shown whole, never named in a message. */
  readonly secret: boolean
  /** A URL: what is wrong with it is told without the secrets it may hold. */
  readonly address: boolean
  /** Also read from the file that `<variable>_FILE` names. */
  readonly file: boolean
  /** For a map: how many names stand between the key and a value (`quota.<provider>.<field>` has two). */
  readonly depth: number
  /** Read and checked, but nothing uses it: its feature is not there yet. `up` warns where it is set. */
  readonly pending: boolean
}

interface Traits {
  readonly env?: string | readonly string[]
  readonly secret?: boolean
  readonly address?: boolean
  readonly file?: boolean
  readonly pending?: boolean
}

function row<Type extends z.ZodType>(
  type: Type,
  fallback: Row<Type>['default'],
  form: Form,
  expects: string,
  doc: string,
  { env = [], secret = false, address = false, file = false, pending = false }: Traits = {},
  depth = 0,
): Row<Type> {
  return { type, default: fallback, doc, expects, form, env: [env].flat(), secret, address, file, depth, pending }
}

const WEB = /^https?:\/\/[^/\s]+/i
const REDIS = /^rediss?(\+cluster|\+sentinel)?:\/\/[^/\s]+/i

export const text = (fallback: string | ((dataDir: string) => string), doc: string, traits?: Traits) =>
  row(z.string(), fallback, 'text', 'text', doc, traits)

/** Text that may be absent: an option that names it in the pipeline file is then left out. */
export const maybe = (doc: string, traits?: Traits) =>
  row(z.string().optional(), undefined, 'text', 'text', doc, traits)

/** Text that may be absent, where the plugin wants to be told so. */
export const nullable = (doc: string, traits?: Traits) => row(z.string().nullable(), null, 'text', 'text', doc, traits)

export const url = (fallback: string | undefined, doc: string, traits?: Traits) =>
  row(z.string().regex(WEB).optional(), fallback, 'text', 'a URL that begins with http:// or https://', doc, {
    ...traits,
    address: true,
  })

export const redisUrl = (doc: string, traits?: Traits) =>
  row(
    z.string().regex(REDIS).optional(),
    undefined,
    'text',
    'a URL that begins with redis://, rediss://, redis+cluster:// or redis+sentinel://',
    doc,
    { ...traits, address: true },
  )

export const flag = (fallback: boolean, doc: string, traits?: Traits) =>
  row(z.boolean(), fallback, 'boolean', 'true or false', doc, traits)

/** A whole number; both bounds are inside. */
export function whole(fallback: number, [min, max]: readonly [number, number?], doc: string, traits?: Traits) {
  const type = z.int().min(min)
  const expects = max === undefined ? `a whole number, ${min} or more` : `a whole number from ${min} to ${max}`
  return row(max === undefined ? type : type.max(max), fallback, 'number', expects, doc, traits)
}

/** A number between 0 and 1. */
export const ratio = (fallback: number, doc: string, traits?: Traits) =>
  row(z.number().min(0).max(1), fallback, 'number', 'a number from 0 to 1', doc, traits)

export function choice<const Names extends readonly [string, string, ...string[]]>(
  names: Names,
  fallback: Names[number],
  doc: string,
  traits?: Traits,
) {
  const expects = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return row(z.enum(names) as z.ZodType<Names[number]>, fallback, 'text', expects, doc, traits)
}

/** Text that must look a certain way. */
export const pattern = (fallback: string, shape: RegExp, expects: string, doc: string, traits?: Traits) =>
  row(z.string().regex(shape), fallback, 'text', expects, doc, traits)

/** A list of names: a TOML array; in a variable a JSON array or names with commas between. */
export const names = (fallback: string[], doc: string, traits?: Traits) =>
  row(z.array(z.string().min(1)), fallback, 'list', 'a list of names', doc, traits)

/** A list of records: TOML `[[key]]`; in a variable JSON. */
export const records = <Type extends z.ZodType>(type: Type, doc: string, traits?: Traits) =>
  row(z.array(type), [], 'json', 'a list of records', doc, traits)

/** Values under names of the user's own: TOML `[key.name]`, variables `KEY__name`, or all at once as JSON. */
export const map = <Type extends z.ZodType<Record<string, unknown>>>(
  type: Type,
  fallback: z.output<Type>,
  depth: number,
  doc: string,
  traits?: Traits,
) => row(type, fallback, 'map', 'a table', doc, traits, depth)
