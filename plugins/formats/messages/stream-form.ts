import { isObject, type ReplyFacts } from 'deflector'
import { exactJson, parseExact } from '../exact-json.ts'
import { streamForm } from '../stream-form.ts'
import { messageId } from './answer.ts'
import { eventsOfWhole } from './events-of-whole.ts'
import { wholeOfEvents } from './whole-of-events.ts'

export const MESSAGES_TEXTS = ['text', 'thinking', 'partial_json'] as const

export const messagesStreamForm = streamForm({
  texts: MESSAGES_TEXTS,
  idle: /^(?:event: ping\n)?data: \{\s*"type":\s*"ping"\s*\}\s*$/,
  renewer: reply => data => renew(data, reply),
  toWhole: wholeOfEvents,
  fromWhole: eventsOfWhole,
})

/** Only the first event has an id; this format has no time of creation. */
function renew(data: string, reply: ReplyFacts): string {
  if (!data.includes('"message_start"')) return data
  const event = parseExact(data)
  if (!isObject(event) || event.type !== 'message_start' || !isObject(event.message)) return data
  return exactJson({ ...event, message: { ...event.message, id: messageId(reply) } })
}
