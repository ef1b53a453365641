import { isObject, type JsonObject, type Tool } from 'deflector'
import { othersIn, readSearch, searchOf, WEB_SEARCH, writeLocation } from '../web-search.ts'

const FORMAT = 'chat-completions'
/** The field of the body that asks a searching model for it; there is no tool. */
const FIELD = 'web_search_options'

/** The search that a body asks for, as a tool of its vendor's own. */
export function decodeSearch({ [FIELD]: options }: JsonObject): Tool[] {
  if (!isObject(options)) return []
  const { search_context_size, user_location, ...rest } = options
  const search = readSearch(
    { location: flat(user_location), contextSize: search_context_size },
    { location: `${FIELD}.user_location` },
    othersIn(rest, FIELD),
  )
  return [{ name: WEB_SEARCH, hosted: { format: FORMAT, value: options, field: FIELD, search } }]
}

/** Here the parts of a place stand one step further down. */
function flat(location: unknown): unknown {
  if (!isObject(location) || !isObject(location.approximate)) return location
  const { approximate, ...rest } = location
  return { ...rest, ...approximate }
}

/** Is it one that the field asks for? */
export const isSearch = ({ hosted }: Tool): boolean => hosted?.search !== undefined

/** The field for the search among these tools; none where no tool may be called. */
export function encodeSearch(tools: readonly Tool[], isSilenced: boolean): JsonObject {
  const tool = tools.find(isSearch)
  if (!tool || isSilenced) return {}
  if (tool.hosted?.format === FORMAT) return { [FIELD]: tool.hosted.value }
  const { location, contextSize } = searchOf(tool, ['location'])
  const { type, ...approximate } = location ? writeLocation(location) : {}
  return {
    [FIELD]: {
      ...(location && { user_location: { type, approximate } }),
      ...(contextSize && { search_context_size: contextSize }),
    },
  }
}
