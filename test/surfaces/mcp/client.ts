import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { z } from 'zod'

const resultSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  isError: z.boolean().optional(),
})

/** The SDK's own client, with our two tools as functions. */
export interface McpClient {
  readonly client: Client
  /** The text of the one content block; an error result is thrown. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string>
  chat(prompt: string, model?: string): Promise<string>
  store(prompt: string, response: string, model?: string): Promise<string>
  close(): Promise<void>
}

export async function connect(transport: Transport): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  const call: McpClient['call'] = async (name, args) => {
    const { content, isError } = resultSchema.parse(await client.callTool({ name, arguments: args }))
    const text = content.map(({ text }) => text).join('')
    if (isError) throw new Error(text)
    return text
  }
  return {
    client,
    call,
    chat: (prompt, model) => call('service_chat', { prompt, ...(model && { model }) }),
    store: (prompt, response, model) => call('service_cache_store', { prompt, response, ...(model && { model }) }),
    close: () => client.close(),
  }
}

export const httpTransport = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  new StreamableHTTPClientTransport(new URL(`${url}/mcp/`), { requestInit: { headers } })

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** What a client has to accept. */
export const ACCEPT = { accept: 'application/json, text/event-stream' }

/** What a call was refused with. */
export const thrownBy = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => missing('an error'),
    (error: unknown) => String(error),
  )

/** For what a test cannot go on without. */
export function missing(what: string): never {
  throw new Error(`there is no ${what}`)
}
