import { isObject, type JsonObject, type ReplyFacts } from 'deflector'
import { exactJson, parseExact } from '../exact-json.ts'
import { streamForm } from '../stream-form.ts'
import { eventsOfWhole } from './events-of-whole.ts'
import { responseId } from './response-object.ts'
import { wholeOfEvents } from './whole-of-events.ts'

export const responsesStreamForm = streamForm({
  texts: ['delta'],
  // Texts whose tokens are told one by one stay in their events, so that tokens and texts belong together.
  goesOn: /^(?=.*"type":\s*"response\.[\w.]+\.delta")(?!.*"logprobs":\s*\[\s*\{)/s,
  noise: /,\s*"(?:sequence_number":\s*\d+|obfuscation":\s*"[^"\\]*")/g,
  idle: /^(?:event: keepalive\n)?data: \{\s*"type":\s*"keepalive"[^{]*\}\s*$/,
  renew,
  number: (data, number) => `${data.slice(0, data.lastIndexOf('}'))},"sequence_number":${number}}`,
  toWhole: wholeOfEvents,
  fromWhole: eventsOfWhole,
})

/** An event with fresh ids, and without the number that it had in the vendor's stream. */
function renew(data: string, reply: ReplyFacts): string {
  const event = parseExact(data)
  if (!isObject(event)) return data
  const { sequence_number: _, ...told } = event
  if (isObject(told.response)) told.response = renewResponse(told.response, reply)
  if (isObject(told.item)) told.item = { ...told.item, ...renewId('id', told.item, told.output_index, reply) }
  return exactJson({ ...told, ...renewId('item_id', told, told.output_index, reply) })
}

function renewResponse(response: JsonObject, reply: ReplyFacts): JsonObject {
  const { output } = response
  return {
    ...response,
    ...('id' in response && { id: responseId(reply) }),
    ...('created_at' in response && { created_at: reply.created }),
    ...(Array.isArray(output) && {
      output: output.map((item: unknown, index) =>
        isObject(item) ? { ...item, ...renewId('id', item, index, reply) } : item,
      ),
    }),
  }
}

/**
 * Items of these kinds can have any id. A vendor checks the id of reasoning against its proof, and in an answer that it
 * keeps clients may refer to every item.
 */
const RENEWED = /^(msg|fc|ctc)_/

function renewId(member: 'id' | 'item_id', holder: JsonObject, index: unknown, reply: ReplyFacts): JsonObject {
  const id = holder[member]
  const [, prefix] = (typeof id === 'string' && reply.vendorId === undefined && RENEWED.exec(id)) || []
  return prefix === undefined ? {} : { [member]: `${prefix}_${reply.id}_${String(index)}` }
}
