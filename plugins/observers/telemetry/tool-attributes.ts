import type { Attributes } from '@opentelemetry/api'
import type { McpTrace } from 'deflector/facets/mcp-traces'
import { pseudonym } from 'deflector/formats/pseudonym'

/** Characters of what a client made up: enough for an id or a version, not for a prompt. */
const LONGEST = 64

/**
 * What is known of a tool call when it begins, by the names of the conventions for MCP. No argument of it; sessions by a
 * hash, and no more than 64 characters of a message id or version.
 */
export const toolAttributes = ({ method, tool, sessionId, protocolVersion, messageId }: McpTrace): Attributes => ({
  'mcp.method.name': method,
  'mcp.session.id': sessionId && pseudonym(sessionId),
  'mcp.protocol.version': protocolVersion?.slice(0, LONGEST),
  'jsonrpc.request.id': messageId?.slice(0, LONGEST),
  'gen_ai.tool.name': tool,
  'gen_ai.operation.name': 'execute_tool',
  'network.transport': 'tcp',
})

/** How it failed: as an error of JSON-RPC, or by its result; `undefined` where it did not. */
export function toolFailure({ result, error }: McpTrace): Attributes | undefined {
  if (result?.isError) return { 'error.type': 'tool_error' }
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : undefined
  return { 'error.type': code ?? 'other', 'rpc.response.status_code': code }
}
