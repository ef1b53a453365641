import { isObject, type JsonObject, type WireEvent } from 'deflector'
import { exactJson, parseExact } from '../exact-json.ts'
import { listOf, textOf } from './event-members.ts'
import type { ItemEvent } from './stream-item.ts'

/** The ladder of events that a whole response would have come in: few, with long texts, and nothing of it left out. */
export function* eventsOfWhole(_: JsonObject, bytes: Uint8Array): Generator<WireEvent> {
  const parsed = parseExact(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  const response = isObject(parsed) ? parsed : {}
  const begun = {
    ...response,
    status: 'in_progress',
    ...('completed_at' in response && { completed_at: null }),
    incomplete_details: null,
    output: [],
    usage: null,
  }
  yield named({ type: 'response.created', response: begun })
  yield named({ type: 'response.in_progress', response: begun })
  for (const [output_index, item] of listOf(response.output).entries()) {
    const { shown, events } = ladderOf(item)
    yield named({ type: 'response.output_item.added', output_index, item: shown })
    for (const { type, ...event } of events) yield named({ type, item_id: item.id, output_index, ...event })
    yield named({ type: 'response.output_item.done', output_index, item })
  }
  yield named({ type: response.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response })
}

const named = (event: ItemEvent): WireEvent => ({ event: event.type, data: exactJson(event) })

/** An item as it is announced, and what is told of it until it is done. */
interface Ladder {
  readonly shown: JsonObject
  readonly events: readonly ItemEvent[]
}

function ladderOf(item: JsonObject): Ladder {
  const shown = 'status' in item ? { ...item, status: 'in_progress' } : item
  switch (item.type) {
    case 'message':
      return { shown: { ...shown, content: [] }, events: listOf(item.content).flatMap(eventsOfPart) }
    case 'reasoning': {
      const { encrypted_content: _, ...open } = shown
      return {
        shown: { ...open, ...('summary' in item && { summary: [] }), ...('content' in item && { content: [] }) },
        events: [...listOf(item.summary).flatMap(eventsOfSummary), ...listOf(item.content).flatMap(eventsOfPart)],
      }
    }
    case 'function_call':
      return callLadder(shown, item, 'arguments', 'function_call_arguments')
    case 'custom_tool_call':
      return callLadder(shown, item, 'input', 'custom_tool_call_input')
    default:
      return { shown, events: [] }
  }
}

function callLadder(shown: JsonObject, item: JsonObject, member: string, what: string): Ladder {
  const text = textOf(item[member])
  return {
    shown: { ...shown, [member]: '' },
    events: [
      ...deltas(`response.${what}`, text, {}),
      { type: `response.${what}.done`, ...(member === 'arguments' && { name: item.name }), [member]: text },
    ],
  }
}

function eventsOfSummary(part: JsonObject, summary_index: number): ItemEvent[] {
  const text = textOf(part.text)
  return [
    { type: 'response.reasoning_summary_part.added', summary_index, part: { ...part, text: '' } },
    ...deltas('response.reasoning_summary_text', text, { summary_index }),
    { type: 'response.reasoning_summary_text.done', summary_index, text },
    { type: 'response.reasoning_summary_part.done', summary_index, part },
  ]
}

function eventsOfPart(part: JsonObject, content_index: number): ItemEvent[] {
  const told = (empty: JsonObject, events: readonly ItemEvent[]): ItemEvent[] => [
    { type: 'response.content_part.added', content_index, part: { ...part, ...empty } },
    ...events,
    { type: 'response.content_part.done', content_index, part },
  ]
  const at = { content_index }
  switch (part.type) {
    case 'refusal': {
      const refusal = textOf(part.refusal)
      const done = { type: 'response.refusal.done', ...at, refusal }
      return told({ refusal: '' }, [...deltas('response.refusal', refusal, at), done])
    }
    case 'reasoning_text': {
      const text = textOf(part.text)
      const done = { type: 'response.reasoning_text.done', ...at, text }
      return told({ text: '' }, [...deltas('response.reasoning_text', text, at), done])
    }
    case 'output_text': {
      const text = textOf(part.text)
      const logprobs = listOf(part.logprobs)
      const annotations = listOf(part.annotations)
      return told({ text: '', annotations: [], ...('logprobs' in part && { logprobs: [] }) }, [
        ...wordsOf(text, logprobs, at),
        ...annotations.map((annotation, annotation_index) => ({
          type: 'response.output_text.annotation.added',
          ...at,
          annotation_index,
          annotation,
        })),
        { type: 'response.output_text.done', ...at, text, logprobs },
      ])
    }
    default:
      return told({}, [])
  }
}

/** A text whose tokens are known goes token by token, where they spell it. */
function wordsOf(text: string, logprobs: readonly JsonObject[], at: JsonObject): ItemEvent[] {
  const type = 'response.output_text'
  if (logprobs.length === 0 || logprobs.map(({ token }) => textOf(token)).join('') !== text)
    return deltas(type, text, { ...at, logprobs: [] })
  return logprobs.flatMap(each => deltas(type, textOf(each.token), { ...at, logprobs: [each] }))
}

const deltas = (type: string, delta: string, at: JsonObject): ItemEvent[] =>
  delta === '' ? [] : [{ type: `${type}.delta`, ...at, delta }]
