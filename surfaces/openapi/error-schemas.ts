import { CODES, type ErrorDialect, type GatewayCode, GatewayError, isObject } from 'deflector'

/** A dialect of errors; what speaks to vendors has a name, too. */
export interface NamedDialect extends ErrorDialect {
  readonly name?: string
}

/**
 * The schemas of errors. Each dialect encodes every error there is, so a schema describes what clients get. That holds
 * for dialects from outside, too.
 */
export class ErrorSchemas {
  readonly #schemas = new Map<string, object>()

  /** The part `schemas` of the document's components: those that were pointed at. */
  get components(): Readonly<Record<string, object>> {
    return Object.fromEntries(this.#schemas)
  }

  /** Points at the schema of a dialect. `owner` names a dialect without a name. */
  pointer(dialect: NamedDialect, owner: string): object {
    const name = `${dialect.name ?? owner}-error`
    if (!this.#schemas.has(name)) this.#schemas.set(name, schemaOf(dialect))
    return { $ref: `#/components/schemas/${name}` }
  }
}

function schemaOf(dialect: NamedDialect): object {
  const codes = Object.keys(CODES).filter((code): code is GatewayCode => code in CODES)
  // An error may name a field and a time to wait, and a dialect may have more to say then.
  const errors = codes.flatMap(code => [
    new GatewayError(code, 'a message'),
    new GatewayError(code, 'a message', { param: 'prompt', retryAfterSecs: 1 }),
  ])
  return shapeOf(errors.map(error => dialect.encodeError(error, 'an id')))
}

/** What all these values have in common. */
function shapeOf(values: readonly unknown[]): Readonly<Record<string, unknown>> {
  const types = [...new Set(values.map(typeOf))]
  const objects = values.filter(isObject)
  const names = [...new Set(objects.flatMap(object => Object.keys(object)))]
  const items = values.flatMap(value => (Array.isArray(value) ? value : []))
  return {
    type: types.length === 1 ? types[0] : types,
    ...(objects.length > 0 && {
      properties: Object.fromEntries(names.map(name => [name, shapeOf(objects.flatMap(one => valuesAt(one, name)))])),
      required: names.filter(name => objects.every(one => name in one)),
    }),
    ...(items.length > 0 && { items: shapeOf(items) }),
  }
}

const valuesAt = (object: Readonly<Record<string, unknown>>, name: string): unknown[] =>
  name in object ? [object[name]] : []

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
