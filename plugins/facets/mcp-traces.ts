import { tracingChannel } from 'node:diagnostics_channel'

/** A tool that an MCP client called. */
export interface McpTrace {
  /** Of the HTTP call that brought it. */
  readonly requestId: string
  readonly method: 'tools/call'
  /** Always one of ours. */
  readonly tool: string
  /** What the client is given; its text is no matter of tracers. */
  readonly result?: { readonly isError?: true }
}

/** Begin and end of each tool call, for tracers, as the channels of `deflector` are. */
export const mcpCalls = tracingChannel<unknown, McpTrace>('deflector:mcp')
