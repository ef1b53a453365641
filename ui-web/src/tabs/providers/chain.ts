import { useAnswer } from '../../api/answers.ts'
import type { Answer } from '../../api/ask.ts'
import { isTable, type JsonSchema, settingAt, type Table } from '../../api/settings.ts'

export type Provider = Answer<'GET /api/admin/providers'>['providers'][number]

/** What can be done with a chain. */
export interface ChainActions {
  readonly mayChange: boolean
  move(name: string, position: number): void
  edit(provider: Provider, place: number): void
  remove(provider: Provider): void
}

/** How the settings describe the chain, as far as they may be seen. */
export interface ChainSettings {
  /** By place in the chain: the fields of each provider, its secrets masked. */
  readonly entries: readonly Table[]
  /** Fields of an entry of the list. */
  readonly fields: Readonly<Record<string, JsonSchema>>
  /** Why the list cannot be changed from here; absent where it can. */
  readonly fixed: string | undefined
}

/** The primary's fields are settings of their own. */
const PRIMARY = {
  provider: 'llm_provider',
  model: 'external_llm_model',
  api_key: 'external_llm_api_key',
  url: 'external_llm_url',
  azure_deployment_id: 'azure_deployment_id',
  azure_api_version: 'azure_api_version',
} as const

export const PRIMARY_FIELDS: readonly string[] = Object.keys(PRIMARY)

/** The settings of the chain; `undefined` where what runs the gateway shows none. */
export function useChainSettings(): ChainSettings | undefined {
  const { data } = useAnswer('GET /api/admin/config', {}, 0)
  const list = data && settingAt(data.settings, 'fallback_providers')
  if (!data || !list) return undefined
  const primary = Object.entries(PRIMARY).map(([field, key]) => [field, settingAt(data.settings, key)?.value] as const)
  return {
    entries: [Object.fromEntries(primary), ...(Array.isArray(list.value) ? list.value.filter(isTable) : [])],
    fields: list.schema.items?.properties ?? {},
    fixed: list.writable ? undefined : `${list.origin} says what the chain is, and stands over the settings file.`,
  }
}
