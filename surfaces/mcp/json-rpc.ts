import type { JsonObject } from 'deflector'
import { z } from 'zod'

/** Codes of JSON-RPC 2.0, and those that MCP adds. */
export const CODE = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  refused: -32000,
  noSession: -32001,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

/** One request or notification; a notification has no `id`. */
export const messageSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
})

export type Message = z.output<typeof messageSchema>

/** A failure of the protocol itself, sent as a JSON-RPC error. A tool's own failure is part of its result. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message)
  }
}

export const failure = ({ code, message, data }: RpcError, id: Message['id'] | null = null): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data && { data }) },
})
