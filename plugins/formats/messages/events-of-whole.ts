import { isObject, type JsonObject, type WireEvent } from 'deflector'
import { exactJson } from '../exact-json.ts'
import { withExactMembers } from '../exact-members.ts'
import { ARGUMENTS } from './exact.ts'

/** Members of a message that a stream says at its end, inside `delta` and beside it. */
const IN_DELTA = ['stop_reason', 'stop_sequence', 'stop_details', 'container'] as const
const BESIDE = ['context_management'] as const
/** Members of a compaction that a stream says in its delta. */
const COMPACTED = ['content', 'encrypted_content'] as const

/** The events that a whole message would have come in: few, with long texts, and nothing of it left out. */
export function* eventsOfWhole(given: JsonObject, bytes: Uint8Array): Generator<WireEvent> {
  // The input of a tool is the user's own, and its numbers are not ours to spell.
  const body = withExactMembers(given, bytes, ARGUMENTS)
  const { content, ...message } = body
  const delta = taken(message, IN_DELTA)
  const beside = taken(message, BESIDE)
  const { usage } = message
  yield named({
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, stop_sequence: null },
  })
  for (const [index, block] of (Array.isArray(content) ? content : []).entries())
    if (isObject(block)) yield* eventsOfBlock(index, block)
  yield named({ type: 'message_delta', delta, ...beside, usage: usage ?? {} })
  yield named({ type: 'message_stop' })
}

/** The members of these names, which `members` has no longer. */
function taken(members: JsonObject, names: readonly string[]): JsonObject {
  const found: JsonObject = {}
  for (const name of names) {
    if (name in members) found[name] = members[name]
    delete members[name]
  }
  return found
}

function* eventsOfBlock(index: number, block: JsonObject): Generator<WireEvent> {
  const deltas: JsonObject[] = []
  const start: JsonObject = { ...block }
  const cut = (name: string, type: string, empty = ''): void => {
    if (typeof block[name] !== 'string') return
    start[name] = empty
    if (block[name] !== '') deltas.push({ type, [name]: block[name] })
  }
  if (block.type === 'text') {
    cut('text', 'text_delta')
    const { citations } = block
    if (Array.isArray(citations)) {
      start.citations = []
      for (const citation of citations) deltas.push({ type: 'citations_delta', citation })
    }
  } else if (block.type === 'thinking') {
    cut('thinking', 'thinking_delta')
    cut('signature', 'signature_delta')
  } else if (block.type === 'compaction') {
    // One delta says it all, and clients wait for that.
    deltas.push({ type: 'compaction_delta', ...taken(start, COMPACTED) })
    start.content = null
  } else if (isObject(block.input)) {
    start.input = {}
    if (Object.keys(block.input).length > 0)
      deltas.push({ type: 'input_json_delta', partial_json: exactJson(block.input) })
  }
  yield named({ type: 'content_block_start', index, content_block: start })
  for (const delta of deltas) yield named({ type: 'content_block_delta', index, delta })
  yield named({ type: 'content_block_stop', index })
}

const named = (event: JsonObject & { readonly type: string }): WireEvent => ({
  event: event.type,
  data: exactJson(event),
})
