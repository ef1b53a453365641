import { tracingChannel } from 'node:diagnostics_channel'
import type { Exchange } from 'deflector'

/** A tool that an MCP client called. */
export interface McpTrace {
  /** Of the HTTP call that brought it. */
  readonly requestId: string
  readonly method: 'tools/call'
  /** Always one of ours. */
  readonly tool: string
  /** What the client is given; its text is no matter of tracers. */
  readonly result?: { readonly isError?: true }
  /** Where those who trace keep from begin to end what they need, see `Memo`. */
  readonly memos: Exchange['memos']
}

/** Begin and end of each tool call, for tracers, as the channels of `deflector` are. */
export const mcpCalls = tracingChannel<unknown, McpTrace>('deflector:mcp')
