import type { JsonObject, Prompt, ReplyFacts, Usage } from 'deflector'
import { withExactMembers } from '../exact-members.ts'
import { encodeUsage } from './usage.ts'

/** What every response object tells beside its output. Clients read into these fields without looking. */
export interface ResponseFacts {
  readonly status: string
  readonly incomplete_details?: unknown
  readonly output: readonly JsonObject[]
  readonly usage?: Usage | undefined
}

/** Fields of a request that its response repeats, and what stands for those that the client left out. */
export const ECHOES: Readonly<Record<string, unknown>> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: undefined,
  reasoning: { effort: null, summary: null },
  safety_identifier: undefined,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
  user: undefined,
}

/** The head of all response objects of one answer. */
export function responseHead(model: string, reply: ReplyFacts, prompt: Prompt | undefined): JsonObject {
  const body = prompt ? { ...prompt.body, ...exactly(prompt) } : {}
  return {
    id: responseId(reply),
    object: 'response',
    created_at: reply.created,
    model: model === '' ? (prompt?.model ?? '') : model,
    background: false,
    error: null,
    ...Object.fromEntries(Object.entries(ECHOES).map(([field, absent]) => [field, body[field] ?? absent])),
    store: reply.vendorId !== undefined,
  }
}

const EXACT: ReadonlySet<string> = new Set(['tools', 'text'])

/** Schemas are the user's own, and are repeated with every number as it is spelled. */
function exactly({ body: { tools, text }, bytes }: Prompt): JsonObject {
  const repeated = { ...(tools !== undefined && { tools }), ...(text !== undefined && { text }) }
  return withExactMembers(repeated, bytes, EXACT)
}

export const responseObject = (head: JsonObject, facts: ResponseFacts): JsonObject => ({
  ...head,
  status: facts.status,
  incomplete_details: facts.incomplete_details ?? null,
  output: facts.output,
  usage: facts.usage ? encodeUsage(facts.usage) : null,
  ...(facts.usage?.tier !== undefined && { service_tier: facts.usage.tier }),
})

/** The id that a client reads. */
export const responseId = ({ id, vendorId }: ReplyFacts): string => vendorId ?? `resp_${id}`
