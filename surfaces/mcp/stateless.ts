import type { Call } from 'deflector'
import { z } from 'zod'
import { CODE, failure, type Message, RpcError } from './json-rpc.ts'
import { SERVER_INFO } from './server.ts'
import { callTool, INSTRUCTIONS, listTools, type ToolBackend } from './tools.ts'

/** The protocol without sessions, which the SDK does not speak: every request says its version and stands alone. */
export const STATELESS = '2026-07-28'

/** How long a client may keep what it was told of us, in milliseconds. */
const TTL_MS = 300_000

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'

const versioned = z.looseObject({ _meta: z.looseObject({ [VERSION_KEY]: z.string() }) })
const named = z.looseObject({ name: z.string() })

/** A message that wants a result. */
type Request = Message & { readonly id: string | number }

export interface Reply {
  readonly status: number
  /** Absent: no body. */
  readonly body?: object
}

/**
 * The version that a message says of itself; `server/discover` exists in no older one. `undefined`: an older protocol,
 * or none that was said.
 */
export function versionOf({ method, params }: Message, headers: Call['headers']): string | undefined {
  const said = headers['mcp-protocol-version'] ?? metaVersion(params)
  return said ?? (method === 'server/discover' ? STATELESS : undefined)
}

const metaVersion = (params: Message['params']): string | undefined => {
  const read = versioned.safeParse(params)
  return read.success ? read.data._meta[VERSION_KEY] : undefined
}

/** @param known versions that are spoken here, for a client that asks for another */
export async function answerStateless(
  message: Message,
  headers: Call['headers'],
  backend: ToolBackend,
  known: readonly string[],
): Promise<Reply> {
  const { id } = message
  try {
    checkHeaders(message, headers, known)
    // A notification has nothing to tell us.
    if (id === undefined) return { status: 202 }
    return { status: 200, body: { jsonrpc: '2.0', id, result: await resultOf({ ...message, id }, backend) } }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { status: statusOf(error), body: failure(error, id) }
  }
}

const statusOf = ({ code }: RpcError): number =>
  code === CODE.methodNotFound ? 404 : code === CODE.invalidParams ? 200 : 400

/** Headers repeat what is in the body, for those on the way. One that is missing does no harm; one that lies does. */
function checkHeaders({ method, params }: Message, headers: Call['headers'], known: readonly string[]): void {
  const told: readonly (readonly [header: string, inBody: string | undefined])[] = [
    ['mcp-protocol-version', metaVersion(params)],
    ['mcp-method', method],
    ['mcp-name', method === 'tools/call' ? named.safeParse(params).data?.name : undefined],
  ]
  for (const [header, inBody] of told) {
    const given = headers[header]
    if (given === undefined || inBody === undefined || given === inBody) continue
    throw new RpcError(CODE.headerMismatch, `the header ${header} and the body disagree`)
  }
  const requested = headers['mcp-protocol-version'] ?? metaVersion(params) ?? STATELESS
  if (requested === STATELESS) return
  throw new RpcError(CODE.unsupportedVersion, 'this protocol version is not spoken here', {
    supported: known,
    requested: requested.slice(0, 40),
  })
}

async function resultOf({ id, method, params }: Request, backend: ToolBackend): Promise<object> {
  const kept = { ttlMs: TTL_MS, cacheScope: 'public' }
  switch (method) {
    case 'server/discover':
      return {
        resultType: 'complete',
        supportedVersions: [STATELESS],
        capabilities: { tools: {} },
        _meta: { [SERVER_KEY]: SERVER_INFO },
        instructions: INSTRUCTIONS,
        ...kept,
      }
    case 'tools/list':
      return { resultType: 'complete', tools: listTools(backend), ...kept }
    case 'tools/call': {
      const call = named.safeParse(params)
      if (!call.success) throw new RpcError(CODE.invalidParams, 'params.name must be the name of a tool')
      const { name, arguments: given } = call.data
      return { resultType: 'complete', ...(await callTool(backend, { name, arguments: given, id })) }
    }
    default:
      throw new RpcError(CODE.methodNotFound, 'this method is not known here')
  }
}
