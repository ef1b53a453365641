import { Memo } from 'deflector'
import { type McpSession, type McpTrace, mcpCalls, mcpSessions } from 'deflector/facets/mcp-traces'
import type { Metric } from 'deflector/facets/metrics'
import { HTTP_BOUNDS, OPERATION_BOUNDS } from './labels.ts'
import { Histogram } from './series.ts'

/** Tool calls and sessions of MCP clients, by the names of OpenTelemetry's conventions for MCP. */
export class McpMetrics {
  readonly #operations = new Histogram(
    {
      name: 'mcp.server.operation.duration',
      help: 'Time of one tool call of an MCP client.',
      unit: 's',
      attributes: ['mcp.method.name', 'mcp.protocol.version', 'error.type'],
    },
    OPERATION_BOUNDS,
  )
  readonly #sessions = new Histogram(
    {
      name: 'mcp.server.session.duration',
      help: 'Time from the beginning of an MCP session to its end.',
      unit: 's',
      attributes: ['mcp.protocol.version'],
    },
    HTTP_BOUNDS,
  )
  readonly #begun = new Memo<number>()
  readonly close: () => void

  /** Watches the MCP clients of one gateway, until it is closed. */
  constructor(gateway: string) {
    // The channels say what their messages are.
    const begin = (message: unknown): void => this.#begun.set(message as McpTrace, performance.now())
    const end = (message: unknown): void => this.#add(gateway, message as McpTrace)
    const over = (message: unknown): void => this.#addSession(gateway, message as McpSession)
    mcpCalls.start.subscribe(begin)
    mcpCalls.asyncEnd.subscribe(end)
    mcpSessions.subscribe(over)
    this.close = () => {
      mcpCalls.start.unsubscribe(begin)
      mcpCalls.asyncEnd.unsubscribe(end)
      mcpSessions.unsubscribe(over)
    }
  }

  read(): Metric[] {
    return [this.#operations.read(), this.#sessions.read()]
  }

  #add(gateway: string, trace: McpTrace): void {
    const began = this.#begun.of(trace)
    if (began === undefined || trace.gateway !== gateway) return
    const { method, protocolVersion, result, error } = trace
    const failure = error !== undefined ? 'other' : result?.isError ? 'tool_error' : ''
    this.#operations.record(
      { 'mcp.method.name': method, ...versionOf(protocolVersion), 'error.type': failure },
      (performance.now() - began) / 1000,
    )
  }

  #addSession(gateway: string, session: McpSession): void {
    if (session.gateway === gateway) this.#sessions.record(versionOf(session.protocolVersion), session.ms / 1000)
  }
}

const versionOf = (version: string | undefined) => ({
  ...(version !== undefined && { 'mcp.protocol.version': version.slice(0, 40) }),
})
