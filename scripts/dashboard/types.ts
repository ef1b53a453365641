/** Types of the gateway's endpoints for the dashboard, from the document that `/openapi.json` serves. */

/** As much of JSON Schema as the document uses. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema } | undefined>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}

interface Operation {
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content | undefined>>
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** A module with one interface, `Endpoints`: by method and path, what each takes and answers. */
export function typesOf({ paths }: OpenApi): string {
  const members = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => member(`${method.toUpperCase()} ${path}`, operation)),
  )
  return `${HEAD}export interface Endpoints {\n${members.join('\n')}\n}\n`
}

const HEAD = '/** Made of the OpenAPI document by `npm run dashboard:types`. Do not edit. */\n'

function member(name: string, { summary, parameters, requestBody, responses }: Operation): string[] {
  const answer = json(responses['200'])
  if (!answer) return []
  const body = json(requestBody)
  const lines = [
    ...given('path', parameters),
    ...given('query', parameters),
    ...(body ? [`    body: ${typeOf(body, 2)}`] : []),
    `    answer: ${typeOf(answer, 2)}`,
  ]
  return [`  /** ${summary} */`, `  '${name}': {`, ...lines, '  }']
}

const json = (content: Content | undefined): Schema | undefined => content?.content?.['application/json']?.schema

function given(place: string, parameters: readonly Parameter[]): string[] {
  const ours = parameters.filter(one => one.in === place)
  if (ours.length === 0) return []
  const properties = Object.fromEntries(ours.map(({ name, schema }) => [name, schema]))
  const required = ours.filter(one => one.required).map(({ name }) => name)
  return [`    ${place}${required.length > 0 ? '' : '?'}: ${typeOf({ type: 'object', properties, required }, 2)}`]
}

function typeOf(schema: Schema, depth: number): string {
  if (schema.anyOf) return schema.anyOf.map(one => typeOf(one, depth)).join(' | ')
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (typeof schema.type === 'object') return schema.type.map(type => typeOf({ ...schema, type }, depth)).join(' | ')
  if (schema.type === 'array') return `readonly ${bracketed(typeOf(schema.items ?? {}, depth))}[]`
  if (schema.type === 'object') return objectOf(schema, depth)
  return SIMPLE[schema.type ?? ''] ?? 'unknown'
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))
const bracketed = (type: string): string => (/^[\w']+$|^\{[^}]*\}$/.test(type) ? type : `(${type})`)

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, depth: number): string {
  const known = Object.entries(properties)
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties, depth) : undefined
  if (known.length === 0) return `Readonly<Record<string, ${others ?? 'unknown'}>>`
  const pad = '  '.repeat(depth + 1)
  const lines = known.map(
    ([name, schema]) => `${pad}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, depth + 1)}`,
  )
  if (others !== undefined) lines.push(`${pad}readonly [name: string]: unknown`)
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}
