import type { JsonObject } from 'deflector'
import { decodeAnnotation } from './annotations.ts'
import { textOf } from './event-members.ts'
import { MessageItem } from './message-item.ts'
import { ReasoningItem } from './reasoning-item.ts'
import { placeOf } from './stream-encoder.ts'
import type { StreamItem } from './stream-item.ts'

/**
 * Brings an item to where its vendor's next event has it; `told` are those before. False where the event says what ours
 * would not: then only its vendor can go on with the item.
 */
export function followed(item: StreamItem, event: JsonObject, told: ReadonlySet<string>): boolean {
  if (item instanceof MessageItem) return followedMessage(item, event, told)
  return item instanceof ReasoningItem && followedReasoning(item, event, told)
}

function followedMessage(item: MessageItem, event: JsonObject, told: ReadonlySet<string>): boolean {
  const { type, content_index: at } = event
  const isNext = at === item.part
  const isOpen = isNext && told.has(placeOf({ type: 'response.content_part.added', content_index: at }))
  switch (type) {
    case 'response.content_part.added':
      return isNext && !isOpen
    case 'response.output_text.delta':
      item.text(textOf(event.delta))
      break
    case 'response.refusal.delta':
      item.refusal(textOf(event.delta))
      break
    case 'response.output_text.annotation.added': {
      const citation = decodeAnnotation(event.annotation)
      if (!citation) return false
      item.cite(citation)
      break
    }
    case 'response.output_text.done':
    case 'response.refusal.done':
    case 'response.content_part.done':
      if (isNext) item.closePart()
      return true
    default:
      return false
  }
  item.take()
  return isOpen
}

/** Of reasoning only a summary in one part is written for vendors that have none of their own. */
function followedReasoning(item: ReasoningItem, event: JsonObject, told: ReadonlySet<string>): boolean {
  const { type, summary_index: at } = event
  if (at !== 0) return false
  const isBegun = told.has(placeOf({ type: 'response.reasoning_summary_part.added', summary_index: at }))
  if (type === 'response.reasoning_summary_part.added') return !isBegun
  if (type !== 'response.reasoning_summary_text.delta') return false
  item.text(textOf(event.delta))
  item.take()
  return isBegun
}
