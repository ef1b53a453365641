import { toGatewayError, traced } from 'deflector'
import { type McpCaller, mcpCalls } from 'deflector/facets/mcp-traces'
import { z } from 'zod'
import { CODE, RpcError } from './json-rpc.ts'

/** What a client reads of us lands in its prompts, and so in cache keys: these texts do not change without need. */
export const INSTRUCTIONS =
  'A cache of LLM answers. Ask service_chat before you answer a question that may have been asked before; it returns ' +
  'the stored answer, or an empty text. Keep a good answer to a self-contained question with service_cache_store.'

const prompt = z.string().min(1).describe('The question, word for word.')
const model = z.string().min(1).optional().describe('The model that is asked; without it the configured one.')
const response = z.string().min(1).describe('The whole answer.')

const question = z.object({ prompt, model })
const pair = z.object({ prompt, response, model })

export type Question = z.output<typeof question>
export type Pair = z.output<typeof pair>

/** The caches, as the tools see them. Failures are `GatewayError`s. */
export interface ToolBackend {
  /** Who calls; absent where nobody traces it. */
  readonly caller?: McpCaller
  /** May this caller see and use the tool that stores? */
  readonly mayStore: boolean
  /** `undefined` on a miss. */
  lookup(question: Question): Promise<string | undefined>
  store(pair: Pair): Promise<void>
}

/** The result of a tool, in the shape that all protocol versions share. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError?: true
}

interface Tool {
  /** As `tools/list` shows it. */
  readonly shown: {
    readonly name: string
    readonly description: string
    readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
    readonly annotations: Readonly<Record<string, boolean>>
  }
  offered(backend: ToolBackend): boolean
  /** Throws a `ZodError` for arguments that do not fit. */
  run(backend: ToolBackend, given: unknown): Promise<string>
}

const schemaOf = (schema: z.ZodType): Tool['shown']['inputSchema'] => {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input' })
  return { ...shape, type: 'object' }
}

const TOOLS: readonly Tool[] = [
  {
    shown: {
      name: 'service_chat',
      description:
        'Looks a prompt up in the cache. Returns the stored answer, or an empty text when there is none. ' +
        'Never calls a model.',
      inputSchema: schemaOf(question),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    offered: () => true,
    run: async (backend, given) => (await backend.lookup(question.parse(given))) ?? '',
  },
  {
    shown: {
      name: 'service_cache_store',
      description: 'Stores a prompt and its answer, so that the same prompt is answered from the cache from then on.',
      inputSchema: schemaOf(pair),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    offered: backend => backend.mayStore,
    run: async (backend, given) => {
      await backend.store(pair.parse(given))
      return 'stored'
    },
  },
]

export const listTools = (backend: ToolBackend): Tool['shown'][] =>
  TOOLS.filter(tool => tool.offered(backend)).map(({ shown }) => shown)

/** A tool, as a client calls it. */
export interface ToolCall {
  readonly name: string
  readonly arguments?: unknown
  /** The client's own id of the call. */
  readonly id: string | number
}

/** Throws `RpcError` for a tool that is not there; whatever else goes wrong is a result that says so. */
export async function callTool(backend: ToolBackend, call: ToolCall): Promise<ToolResult> {
  const tool = TOOLS.find(({ shown, offered }) => shown.name === call.name && offered(backend))
  const run = (): Promise<ToolResult> => resultOf(tool, backend, call.arguments)
  const { caller } = backend
  if (!caller || !mcpCalls.hasSubscribers) return run()
  const messageId = String(call.id)
  return traced(mcpCalls, run, { ...caller, method: 'tools/call', tool: tool?.shown.name, messageId, memos: {} })
}

async function resultOf(tool: Tool | undefined, backend: ToolBackend, given: unknown): Promise<ToolResult> {
  if (!tool) throw new RpcError(CODE.invalidParams, 'there is no tool of this name; tools/list has them')
  try {
    return said(await tool.run(backend, given ?? {}))
  } catch (error) {
    return { ...said(error instanceof z.ZodError ? misfit(error) : toGatewayError(error).message), isError: true }
  }
}

const said = (text: string): ToolResult => ({ content: [{ type: 'text', text }] })

/** Names the argument, never its value. */
function misfit({ issues: [first] }: z.ZodError): string {
  const field = first?.path.join('.')
  return field ? `${field} must be a non-empty string` : 'the arguments must be an object'
}
