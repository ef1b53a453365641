import type { JsonSchema, Table } from '../../api/settings.ts'

/** A field of the form. Its value there is text; a checkbox says `true` or nothing. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly kind: 'text' | 'secret' | 'number' | 'flag' | 'choice'
  readonly options: readonly string[]
  readonly required: boolean
}

/** Fields that most providers need, with words of their own. */
const COMMON: Readonly<Record<string, Pick<Field, 'label' | 'hint'>>> = {
  provider: { label: 'Vendor', hint: 'For example openai, anthropic, gemini, groq or ollama.' },
  name: { label: 'Name', hint: 'How requests, routes and quotas name it. Without one it is called after its vendor.' },
  model: { label: 'Model', hint: 'Asked for where a request names none that it has.' },
  url: { label: 'Address', hint: "The vendor's own where nothing stands here." },
  api_key: { label: 'API key' },
}

const isCommon = (name: string): boolean => name in COMMON

/** The fields of an entry that a form can hold, those that are common first. */
export function fieldsOf(schemas: Readonly<Record<string, JsonSchema>>): {
  readonly common: readonly Field[]
  readonly rare: readonly Field[]
} {
  const fields = Object.entries(schemas).flatMap(([name, schema]) => fieldOf(name, schema) ?? [])
  const order = Object.keys(COMMON)
  return {
    common: fields.filter(({ name }) => isCommon(name)).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)),
    rare: fields.filter(({ name }) => !isCommon(name)),
  }
}

function fieldOf(name: string, { type, enum: options }: JsonSchema): Field | undefined {
  const kind = kindOf(name, type, options)
  return (
    kind && {
      name,
      label: spoken(name),
      kind,
      options: (options ?? []).map(String),
      required: name === 'provider',
      ...COMMON[name],
    }
  )
}

function kindOf(name: string, type: JsonSchema['type'], options: JsonSchema['enum']): Field['kind'] | undefined {
  if (options) return 'choice'
  if (type === 'string') return name === 'api_key' ? 'secret' : 'text'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'boolean' ? 'flag' : undefined
}

/** `first_event_secs` as `First event (seconds)`. */
function spoken(name: string): string {
  const words = name.replace(/_secs$/, '_(seconds)').replaceAll('_', ' ')
  const spelled = words.replace(/\b(?:api|id)\b/g, word => word.toUpperCase())
  return spelled.charAt(0).toUpperCase() + spelled.slice(1)
}

/** What stands in the form, by field. */
export type Filled = Readonly<Record<string, string>>

export const filledFrom = (entry: Table): Filled =>
  Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [[name, value === false ? '' : String(value)]] : [],
    ),
  )

/** The fields that differ from what they were; `null` takes one out. */
export function changesOf(fields: readonly Field[], before: Filled, after: Filled): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const value = (after[name] ?? '').trim()
    if (value === (before[name] ?? '')) continue
    changes[name] = value === '' ? null : kind === 'number' ? Number(value) : kind === 'flag' ? true : value
  }
  return changes
}
