import { GatewayError } from 'deflector'
import { z } from 'zod'
import { loadSettings } from '../../config/load.ts'
import { createServer } from '../mcp/server.ts'
import type { Pair, Question, ToolBackend } from '../mcp/tools.ts'
import { localUrl } from './address.ts'
import { gatewayUrl as baseOf } from './gateway-url.ts'

export interface McpOptions {
  readonly gatewayUrl?: string
  readonly gatewayApiKey?: string
}

/** How long the gateway may take for a look into its cache, in milliseconds. */
const PATIENCE = 30_000

const hit = z.object({ message: z.string() })

/**
 * `deflector mcp`: an MCP server on stdin and stdout whose tools ask a running gateway. Without flags it is the one that
 * the settings of this machine describe, with their key. It ends with its input.
 */
export async function mcp({ gatewayUrl, gatewayApiKey }: McpOptions): Promise<void> {
  const { values } = loadSettings({ cwd: process.cwd(), env: process.env })
  const local = localUrl({ host: values['server.host'], port: values['server.port'] })
  const key = gatewayApiKey ?? values.gateway_api_key
  const backend = new GatewayDesk(baseOf(gatewayUrl ?? local), key || undefined, values.mcp_allow_store)
  const server = await createServer(() => backend)
  server.onerror = error => complain(error.name === 'SyntaxError' ? 'a line on stdin is not JSON' : error.message)
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  await server.connect(new StdioServerTransport())
}

/** The cache endpoints of a gateway as a backend. */
class GatewayDesk implements ToolBackend {
  readonly mayStore: boolean
  readonly #base: string
  readonly #key: string | undefined

  constructor(base: string, key: string | undefined, mayStore: boolean) {
    this.#base = base
    this.#key = key
    this.mayStore = mayStore
  }

  async lookup(question: Question): Promise<string | undefined> {
    const reply = await this.#post('/api/v1/cache/lookup', question)
    if (reply.status === 204) return undefined
    const read = hit.safeParse(await reply.json().catch(() => undefined))
    if (!read.success) throw this.#failure('upstream_failed', 'gave an answer that is not one of a deflector')
    return read.data.message
  }

  async store(pair: Pair): Promise<void> {
    const reply = await this.#post('/api/v1/cache/store', pair)
    // A body that nobody reads holds its connection, and so this process.
    await reply.arrayBuffer()
  }

  async #post(path: string, body: object): Promise<Response> {
    const reply = await fetch(this.#base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(this.#key !== undefined && { 'x-api-key': this.#key }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    }).catch((error: unknown) => {
      const late = error instanceof Error && error.name === 'TimeoutError'
      throw this.#failure(
        'upstream_failed',
        late ? 'does not answer' : 'cannot be reached; start it with "deflector up"',
      )
    })
    if (reply.ok) return reply
    await reply.body?.cancel()
    if (reply.status === 401) throw this.#failure('unauthorized', 'wants its key; give it with --gateway-api-key')
    if (reply.status === 413) throw this.#failure('too_large', 'takes no prompt or answer of this size')
    throw this.#failure('upstream_failed', `refused with status ${reply.status}`)
  }

  #failure(code: 'unauthorized' | 'too_large' | 'upstream_failed', what: string): GatewayError {
    const message = `the gateway at ${this.#base} ${what}`
    complain(message)
    return new GatewayError(code, message)
  }
}

/** stdout belongs to the protocol. */
const complain = (line: string): void => void process.stderr.write(`deflector mcp: ${line}\n`)
