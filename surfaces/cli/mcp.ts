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

/** Time limit for a cache call to the gateway, in milliseconds. */
const TIMEOUT_MS = 30_000

const hit = z.object({ message: z.string() })

/**
 * `deflector mcp`: an MCP server on stdin and stdout whose tools call a running gateway. Without flags, the settings of
 * this machine name the gateway and its key. The server ends when stdin does.
 */
export async function mcp({ gatewayUrl, gatewayApiKey }: McpOptions): Promise<void> {
  const { values } = loadSettings({ cwd: process.cwd(), env: process.env })
  const local = localUrl({ host: values['server.host'], port: values['server.port'] })
  const key = gatewayApiKey ?? values.gateway_api_key
  const backend = new GatewayBackend(baseOf(gatewayUrl ?? local), key || undefined, values.mcp_allow_store)
  const server = await createServer(() => backend)
  server.onerror = error => report(error.name === 'SyntaxError' ? 'a line on stdin is not JSON' : error.message)
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  await server.connect(new StdioServerTransport())
}

/** A backend that calls the cache endpoints of a gateway. */
class GatewayBackend implements ToolBackend {
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
    if (!read.success) throw this.#failure('upstream_failed', 'gave a reply that is not from a deflector')
    return read.data.message
  }

  async store(pair: Pair): Promise<void> {
    const reply = await this.#post('/api/v1/cache/store', pair)
    // An unread body would keep its connection open, and with it this process.
    await reply.arrayBuffer()
  }

  async #post(path: string, body: object): Promise<Response> {
    const reply = await fetch(this.#base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(this.#key !== undefined && { 'x-api-key': this.#key }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      const late = error instanceof Error && error.name === 'TimeoutError'
      throw this.#failure(
        'upstream_failed',
        late ? 'does not answer' : 'cannot be reached; start it with "deflector up"',
      )
    })
    if (reply.ok) return reply
    await reply.body?.cancel()
    if (reply.status === 401) {
      const what =
        this.#key === undefined ? 'needs its key; pass it' : 'does not know the key that was sent; pass its own'
      throw this.#failure('unauthorized', `${what} with --gateway-api-key`)
    }
    if (reply.status === 413) throw this.#failure('too_large', 'does not accept a prompt or answer of this size')
    throw this.#failure('upstream_failed', `refused with status ${reply.status}`)
  }

  #failure(code: 'unauthorized' | 'too_large' | 'upstream_failed', what: string): GatewayError {
    const message = `the gateway at ${this.#base} ${what}`
    report(message)
    return new GatewayError(code, message)
  }
}

/** Writes to stderr, because stdout belongs to the protocol. */
const report = (line: string): void => void process.stderr.write(`deflector mcp: ${line}\n`)
