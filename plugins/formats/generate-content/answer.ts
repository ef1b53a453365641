import { Assembler, type Completion, isObject, type JsonObject, type ReplyFacts, refiller } from 'deflector'
import { z } from 'zod'
import { withExactMembers } from '../exact-members.ts'
import { CandidateReader } from './candidate-reader.ts'
import { CandidateWriter } from './candidate-writer.ts'
import { TOOL_JSON } from './exact.ts'
import { readUsage, writeUsage } from './usage.ts'

const answer = z.compile(
  z.looseObject({
    candidates: z.array(z.looseObject({ index: z.unknown().optional() })).optional(),
    promptFeedback: z.looseObject({ blockReason: z.unknown().optional() }).optional(),
    responseId: z.string().optional().catch(undefined),
    modelVersion: z.string().optional().catch(undefined),
    createTime: z.string().optional().catch(undefined),
  }),
)

/** What every body of an answer says beside its candidates, whole or one frame of a stream. */
export function factsIn(body: JsonObject): { readonly id: string; readonly model: string; readonly created: number } {
  const { responseId, modelVersion, createTime } = body
  const time = typeof createTime === 'string' ? Date.parse(createTime) : Number.NaN
  return {
    id: typeof responseId === 'string' ? responseId : '',
    model: typeof modelVersion === 'string' ? modelVersion : '',
    created: Number.isNaN(time) ? 0 : Math.floor(time / 1000),
  }
}

/** Was the prompt itself refused? Then there is no candidate. */
export const isBlocked = ({ promptFeedback }: JsonObject): boolean =>
  isObject(promptFeedback) && typeof promptFeedback.blockReason === 'string'

/** The canonical answer: the candidate at index 0, the others beside it. Throws an `Error` for what is no answer. */
export function decodeAnswer(given: unknown, bytes?: Uint8Array): Completion {
  const body = answer.parse(withExactMembers(given, bytes, TOOL_JSON))
  const { candidates = [] } = body
  const facts = factsIn(body)
  const usage = readUsage(body.usageMetadata)
  const counted = usage ? { usage } : {}
  const first = candidates.find(({ index = 0 }) => index === 0) ?? candidates[0]
  if (!first) {
    if (!isBlocked(body)) throw new Error('the answer has no candidate')
    return { ...facts, blocks: [], stop: { reason: 'filtered' }, ...counted }
  }
  const others = candidates.filter(candidate => candidate !== first).map(one => assembled(one, facts.id))
  const { blocks, stop, unmodelled = [] } = assembled(first, facts.id)
  const lost = [...(others.length > 0 ? ['a second choice'] : []), ...unmodelled]
  return {
    ...facts,
    blocks,
    stop,
    ...counted,
    ...(others.length > 0 && { others: others.map(({ blocks, stop }) => ({ blocks, stop })) }),
    ...(lost.length > 0 && { unmodelled: lost }),
  }
}

function assembled(candidate: JsonObject, responseId: string): Completion {
  const reader = new CandidateReader(responseId)
  const assembler = new Assembler()
  for (const event of reader.read(candidate)) assembler.add(event)
  const { events, stop } = reader.rest()
  for (const event of events) assembler.add(event)
  return { ...assembler.completion(), stop }
}

/** The answer for a client, with an id of its own. */
export function encodeAnswer({ model, blocks, stop, usage }: Completion, reply: ReplyFacts): JsonObject {
  const writer = new CandidateWriter()
  for (const block of blocks) writer.add(block)
  return {
    candidates: [writer.candidate(stop)],
    ...(usage && { usageMetadata: writeUsage(usage) }),
    modelVersion: model,
    responseId: responseId(reply),
  }
}

const refill = refiller('responseId')

/** Only the id changes: a client that reads a time reads when the answer was made. */
export const reissue = (bytes: Uint8Array, reply: ReplyFacts): Uint8Array =>
  refill(bytes, () => JSON.stringify(responseId(reply)))

/** The id that a client reads. */
export const responseId = ({ id }: ReplyFacts): string => id
