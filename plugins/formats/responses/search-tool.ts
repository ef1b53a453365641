import { isObject, type JsonObject, type Tool, type WebSearch } from 'deflector'
import { othersIn, readSearch, searchOf, WEB_SEARCH, writeLocation } from '../web-search.ts'

const SEARCH = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/

const LIMIT = 'max_tool_calls'

/** What a search's own settings are when they ask for nothing. */
const HARMLESS = {
  external_web_access: (value: unknown) => value === true,
  search_content_types: (value: unknown) => Array.isArray(value) && value.every(type => type === 'text'),
}

/** A tool of the vendor's own as a search, if it is one. `limit` is what the body says of all tools that the vendor runs. */
export function decodeSearch(tool: JsonObject, at: string, limit: unknown): WebSearch | undefined {
  const { type, filters, user_location, search_context_size, ...rest } = tool
  if (typeof type !== 'string' || !SEARCH.test(type)) return undefined
  const { allowed_domains, blocked_domains, ...others } = isObject(filters) ? filters : {}
  return readSearch(
    {
      allowedDomains: allowed_domains,
      blockedDomains: blocked_domains,
      location: user_location,
      maxUses: limit,
      contextSize: search_context_size,
    },
    {
      allowedDomains: `${at}.filters.allowed_domains`,
      blockedDomains: `${at}.filters.blocked_domains`,
      location: `${at}.user_location`,
      maxUses: LIMIT,
    },
    [...othersIn(others, `${at}.filters`), ...othersIn(rest, at, HARMLESS)],
  )
}

/** The tool that asks this format's vendors for another dialect's search. */
export function encodeSearch(tool: Tool): JsonObject {
  const { allowedDomains, blockedDomains, location, contextSize } = searchOf(tool, SETTINGS)
  const filters = {
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains && { blocked_domains: blockedDomains }),
  }
  return {
    type: WEB_SEARCH,
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(location && { user_location: writeLocation(location) }),
    ...(contextSize && { search_context_size: contextSize }),
  }
}

const SETTINGS = ['allowedDomains', 'blockedDomains', 'location', 'maxUses'] as const

/** The field beside the tools that says how often a search may be made. */
export function encodeLimit(tools: readonly Tool[]): JsonObject {
  const limits = tools.flatMap(({ hosted }) => (hosted?.format === 'responses' ? [] : (hosted?.search?.maxUses ?? [])))
  return limits.length === 0 ? {} : { [LIMIT]: Math.min(...limits) }
}
