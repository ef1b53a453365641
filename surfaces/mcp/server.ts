import { createRequire } from 'node:module'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { z } from 'zod'
import { callTool, INSTRUCTIONS, listTools, type ToolBackend } from './tools.ts'

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('deflector/package.json'))

export const SERVER_INFO = { name: 'deflector', version } as const

/** What came with a message; the SDK hands it on from the transport to the tool. */
export interface Came {
  readonly authInfo?: { readonly extra?: Readonly<Record<string, unknown>> } | undefined
}

/**
 * An MCP server of the SDK, which negotiates the protocol's version, around our tools. `backendOf` says at which backend a
 * message is served. The SDK takes a quarter of a second to load, so it is loaded with the first MCP request.
 */
export async function createServer(backendOf: (came: Came) => ToolBackend): Promise<Server> {
  const [{ Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const server = new Server(SERVER_INFO, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    // It would check what a client answers to questions of ours. We ask none, and the default costs a compiler each.
    jsonSchemaValidator: {
      getValidator: () => {
        throw new Error('this server asks its clients nothing')
      },
    },
  })
  server.setRequestHandler(ListToolsRequestSchema, (_, came) => ({ tools: listTools(backendOf(came)) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, came) => ({
    ...(await callTool(backendOf(came), { ...params, id: came.requestId })),
  }))
  return server
}
