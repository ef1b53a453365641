import { isObject, type JsonObject, type Tool, type WebSearch } from 'deflector'
import { othersIn, readSearch, searchOf } from '../web-search.ts'
import { camel } from './fields.ts'

/** The member of a tool that is a search. */
export const SEARCH = 'googleSearch'

/** What a search's own settings are when they ask for nothing. */
const HARMLESS = {
  searchTypes: (value: unknown) => isObject(value) && Object.keys(camel(value)).every(type => type === 'webSearch'),
}

/** The settings of a search. Only one host of this format knows `excludeDomains`. */
export function readSearchTool(value: unknown, at: string): WebSearch {
  const { excludeDomains, ...rest } = isObject(value) ? camel(value) : {}
  return readSearch(
    { blockedDomains: excludeDomains },
    { blockedDomains: `${at}.excludeDomains` },
    othersIn(rest, at, HARMLESS),
  )
}

/** The tool that asks this format's vendors for another dialect's search. */
export function writeSearchTool(tool: Tool): JsonObject {
  const { blockedDomains } = searchOf(tool, ['blockedDomains'])
  return { [SEARCH]: { ...(blockedDomains && { excludeDomains: blockedDomains }) } }
}
