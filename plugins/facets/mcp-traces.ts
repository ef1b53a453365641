import { channel, tracingChannel } from 'node:diagnostics_channel'
import type { Exchange } from 'deflector'

/** Who called a tool, as far as tracers want to know. */
export interface McpCaller {
  /** See `Host.gateway`. */
  readonly gateway: string
  /** Of the HTTP call that brought it. */
  readonly requestId: string
  readonly sessionId?: string | undefined
  readonly protocolVersion?: string | undefined
}

/** A tool that an MCP client called. */
export interface McpTrace extends McpCaller {
  readonly method: 'tools/call'
  /** Always one of ours; absent for a name that no tool has. */
  readonly tool?: string | undefined
  /** The client's own id of the call. */
  readonly messageId?: string | undefined
  /** What the client is given; its text is no matter of tracers. */
  readonly result?: { readonly isError?: true }
  /** What failed around the tool: an error of JSON-RPC, with its code. */
  readonly error?: unknown
  /** Where those who trace keep from begin to end what they need, see `Memo`. */
  readonly memos: Exchange['memos']
}

/** Begin and end of each tool call, for tracers, as the channels of `deflector` are. */
export const mcpCalls = tracingChannel<unknown, McpTrace>('deflector:mcp')

/** A session that is over. */
export interface McpSession {
  /** See `Host.gateway`. */
  readonly gateway: string
  /** As the client said it last. */
  readonly protocolVersion: string | undefined
  /** How long it was, in milliseconds. */
  readonly ms: number
}

/** The end of each session of the sessions protocol; a message is an `McpSession`. */
export const mcpSessions = channel('deflector:mcp-session')
