import { ROWS, type SettingKey } from './schema.ts'

/** Titles of the settings' sections, each with the first setting of its own; the table has them in this order. */
const SECTIONS: readonly (readonly [SettingKey, string])[] = [
  ['server.host', 'Listener'],
  ['gateway_api_key', 'Admission'],
  ['exact_cache.provider', 'Caches'],
  ['semantic_cache.provider', 'Embedders'],
  ['enable_slm_router', 'Local small model'],
  ['llm_provider', 'Cloud'],
  ['enable_context_optimizer', 'Context optimiser'],
  ['classifier_routing.enabled', 'Classifier routing'],
  ['log_level', 'Log'],
  ['quota', 'Limits and prices'],
  ['usage_log_path', 'Books and traces'],
  ['mcp_allow_store', 'MCP'],
]

const titles = new Map<SettingKey, string>()
let title = ''
for (const [key] of ROWS) {
  title = SECTIONS.find(([first]) => first === key)?.[1] ?? title
  titles.set(key, title)
}

/** The section that a setting stands in. */
export const sectionOf = (key: SettingKey): string => titles.get(key) ?? ''
