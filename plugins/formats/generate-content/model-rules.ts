/** What a family of models takes and refuses. From the vendor's model pages, as of November 2026. */
export interface ModelRules {
  /** `budget`: it wants a number of tokens. `level`: a word. `none`: it cannot think, or cannot be told. */
  readonly thinking: 'budget' | 'level' | 'none'
  /** Least and largest budget, and the one that means as little as possible. */
  readonly budget?: { readonly least: number; readonly most: number; readonly off: number }
  /** The words it knows, the smallest first. */
  readonly levels?: readonly string[]
  /** Takes ordinary JSON Schema; else the vendor's older subset of it. */
  readonly jsonSchema: boolean
  /** Can call tools and be held to a schema in the same request. */
  readonly toolsWithSchema: boolean
  /** Refuses a history whose calls are not signed. */
  readonly signsCalls: boolean
  /** Takes pictures inside a tool's result, and a resolution for each of them. */
  readonly partResolution: boolean
  /** Fetches what is given by URL. */
  readonly readsUrls: boolean
  /** Has no place for system text; it goes before the first words of the user. */
  readonly noSystem?: true
}

const newest = {
  thinking: 'level',
  levels: ['low', 'medium', 'high'],
  jsonSchema: true,
  toolsWithSchema: true,
  signsCalls: true,
  partResolution: true,
  readsUrls: true,
} as const satisfies ModelRules
const second = {
  thinking: 'budget',
  jsonSchema: true,
  toolsWithSchema: false,
  signsCalls: false,
  partResolution: false,
  readsUrls: true,
} as const
const oldest = {
  thinking: 'none',
  jsonSchema: false,
  toolsWithSchema: false,
  signsCalls: false,
  partResolution: false,
  readsUrls: false,
} as const satisfies ModelRules

/** First match wins. */
const RULES: readonly (readonly [RegExp, ModelRules])[] = [
  [/gemini-2\.5-pro/, { ...second, budget: { least: 128, most: 32_768, off: 128 } }],
  [/gemini-2\.5-flash-lite/, { ...second, budget: { least: 512, most: 24_576, off: 0 } }],
  [/gemini-2\.5/, { ...second, budget: { least: 1, most: 24_576, off: 0 } }],
  [/gemini-(1|2\.0|pro$|pro-vision)/, oldest],
  [/gemma-/, { ...oldest, noSystem: true }],
  [/gemini-3(\.[0-6])?-(?!.*pro)/, { ...newest, levels: ['minimal', 'low', 'medium', 'high'] }],
  // A newer id than we know, or an alias: the newest rules.
  [/gemini/, newest],
]

/** The rules of a model, however a host spells its name (`models/gemini-…`, `google/gemini-…`). */
export const modelRules = (model: string): ModelRules => knownRules(model) ?? newest

/** The same for the vendor's own models. */
export function knownRules(model: string): ModelRules | undefined {
  const name = model.toLowerCase()
  return RULES.find(([pattern]) => pattern.test(name))?.[1]
}
