import type { JsonObject, OpaqueBlock } from 'deflector'

/** A block of an answer that only this format has, as it came. */
export function opaqueBlock(value: JsonObject): OpaqueBlock {
  return { type: 'opaque', format: 'messages', value, ...(isDeed(value) && { deed: true }) }
}

/** What the vendor finds out changes nothing; all else that it runs may. */
const LOOKS_UP = /(?:^|_)(?:search|fetch)(?:_|$)/

const isDeed = ({ type, name }: JsonObject): boolean =>
  type === 'mcp_tool_use' || (type === 'server_tool_use' && !LOOKS_UP.test(String(name)))
