import type { JsonObject, Tool, WebSearch } from 'deflector'
import { badRequest } from '../body.ts'
import { othersIn, readSearch, searchOf, WEB_SEARCH, writeLocation } from '../web-search.ts'

const SEARCH = /^web_search_\d{8}$/
/** The version that all models know. */
const VERSION = 'web_search_20250305'

/** What a search's own settings are when they ask for nothing. */
const HARMLESS = {
  cache_control: () => true,
  strict: () => true,
  defer_loading: (value: unknown) => value === false,
  response_inclusion: (value: unknown) => value === 'full',
  allowed_callers: (value: unknown) => Array.isArray(value) && value.every(caller => caller === 'direct'),
}

/** A tool of the vendor's own as a search, if it is one. */
export function readSearchTool(tool: JsonObject, at: string): WebSearch | undefined {
  const { type, name: _, allowed_domains, blocked_domains, user_location, max_uses, ...rest } = tool
  if (typeof type !== 'string' || !SEARCH.test(type)) return undefined
  return readSearch(
    { allowedDomains: allowed_domains, blockedDomains: blocked_domains, location: user_location, maxUses: max_uses },
    {
      allowedDomains: `${at}.allowed_domains`,
      blockedDomains: `${at}.blocked_domains`,
      location: `${at}.user_location`,
      maxUses: `${at}.max_uses`,
    },
    othersIn(rest, at, HARMLESS),
  )
}

const SETTINGS = ['allowedDomains', 'blockedDomains', 'location', 'maxUses'] as const

/** The tool that asks this format's vendor for another dialect's search, among these `tools`. */
export function writeSearchTool(tool: Tool, tools: readonly Tool[]): JsonObject {
  const { allowedDomains, blockedDomains, location, maxUses, fields } = searchOf(tool, SETTINGS)
  if (allowedDomains && blockedDomains)
    throw badRequest(fields.blockedDomains ?? 'tools', 'this vendor takes allowed or blocked domains, not both')
  if (tools.some(({ name, hosted }) => !hosted && name === WEB_SEARCH))
    throw badRequest(tool.hosted?.field ?? 'tools', 'this vendor has one name for it and for a function of the client')
  return {
    type: VERSION,
    name: WEB_SEARCH,
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains && { blocked_domains: blockedDomains }),
    ...(location && { user_location: writeLocation(location) }),
    ...(maxUses !== undefined && { max_uses: maxUses }),
  }
}
