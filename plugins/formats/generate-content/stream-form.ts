import { isObject, type JsonObject, type ReplyFacts, refiller, type WireEvent } from 'deflector'
import { exactJson, parseExact } from '../exact-json.ts'
import { streamForm } from '../stream-form.ts'
import { responseId } from './answer.ts'

/** A frame of a stream is an answer like a whole one, of which the frames after it are the rest. */
export const contentStreamForm = streamForm({
  texts: ['text'],
  renewer: reply => data => renew(data, reply),
  toWhole: wholeOfFrames,
  *fromWhole(body) {
    yield { data: exactJson(body) }
  },
})

const refill = refiller('responseId')

function renew(data: string, reply: ReplyFacts): string {
  if (!data.trimStart().startsWith('{')) return data
  return Buffer.from(refill(Buffer.from(data), () => JSON.stringify(responseId(reply)))).toString('utf8')
}

/** The whole answer that the frames amount to; `undefined` where it is not clear how they go together. */
function wholeOfFrames(events: Iterable<WireEvent>): string | undefined {
  const whole: JsonObject = {}
  const drafts = new Map<unknown, JsonObject>()
  for (const { data } of events) {
    const frame = parseExact(data)
    if (!isObject(frame)) return undefined
    const { candidates, responseId: id, createTime: time, ...members } = frame
    if (id !== undefined) whole.responseId ??= id
    if (time !== undefined) whole.createTime ??= time
    Object.assign(whole, members)
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      if (!isObject(candidate)) return undefined
      const index = candidate.index ?? 0
      const draft = drafts.get(index) ?? {}
      drafts.set(index, draft)
      if (!extend(draft, candidate)) return undefined
    }
  }
  return drafts.size === 0 ? undefined : exactJson({ candidates: [...drafts.values()], ...whole })
}

/** Members that the last frame tells for all. */
const LATEST: ReadonlySet<string> = new Set([
  'finishReason',
  'finishMessage',
  'index',
  'tokenCount',
  'avgLogprobs',
  'safetyRatings',
])

/** False for a member that may be said again or go on. */
function extend(draft: JsonObject, { content, ...members }: JsonObject): boolean {
  for (const [name, value] of Object.entries(members)) {
    const before = draft[name]
    draft[name] = value
    if (before !== undefined && !LATEST.has(name) && exactJson(before) !== exactJson(value)) return false
  }
  if (!isObject(content)) return content === undefined
  const { parts: given, ...more } = content
  const known = isObject(draft.content) ? draft.content : {}
  const parts: unknown[] = Array.isArray(known.parts) ? known.parts : []
  for (const part of Array.isArray(given) ? given : []) {
    if (isPieceOfCall(part)) return false
    addPart(parts, part)
  }
  draft.content = { ...known, ...(parts.length > 0 && { parts }), ...more }
  return true
}

/** Words that go on are one part, up to the one with a proof. */
function addPart(parts: unknown[], part: unknown): void {
  const last: unknown = parts.at(-1)
  const goesOn = isWords(last) && isWords(part) && last.thought === part.thought && last.thoughtSignature === undefined
  if (goesOn) parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text }
  else parts.push(part)
}

const isPieceOfCall = (part: unknown): boolean =>
  isObject(part) &&
  isObject(part.functionCall) &&
  (part.functionCall.partialArgs !== undefined || part.functionCall.willContinue === true)

const WORDS: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])

const isWords = (part: unknown): part is JsonObject & { readonly text: string } =>
  isObject(part) && typeof part.text === 'string' && Object.keys(part).every(name => WORDS.has(name))
