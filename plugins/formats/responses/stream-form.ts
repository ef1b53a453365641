import { type Asked, type Frame, isObject, type JsonObject, type Prompt, type ReplyFacts } from 'deflector'
import { exactJson, parseExact } from '../exact-json.ts'
import { mayRepeat, repeatsOf } from '../repeated.ts'
import { withData } from '../sse.ts'
import { streamForm } from '../stream-form.ts'
import { eventsOfWhole } from './events-of-whole.ts'
import { ECHOES, responseId } from './response-object.ts'
import { wholeOfEvents } from './whole-of-events.ts'

export const responsesStreamForm = streamForm({
  texts: ['delta'],
  // Texts whose tokens are told one by one stay in their events, so that tokens and texts belong together.
  goesOn: /^(?=.*"type":\s*"response\.[\w.]+\.delta")(?!.*"logprobs":\s*\[\s*\{)/s,
  noise: /,\s*"(?:sequence_number":\s*\d+|obfuscation":\s*"[^"\\]*")/g,
  idle: /^(?:event: keepalive\n)?data: \{\s*"type":\s*"keepalive"[^{]*\}\s*$/,
  renewer,
  number: (data, number) => `${data.slice(0, data.lastIndexOf('}'))},"sequence_number":${number}}`,
  toWhole: wholeOfEvents,
  fromWhole: eventsOfWhole,
})

/** Events with fresh ids, and without the numbers that they had in the vendor's stream. */
function renewer(reply: ReplyFacts, { body }: Asked): (data: string) => string {
  const repeats = Object.entries(repeatsOf(body, ECHOES))
  return data => {
    const event = parseExact(data)
    if (!isObject(event)) return data
    const { sequence_number: _, ...told } = event
    if (isObject(told.response)) told.response = renewResponse(withRepeats(told.response, repeats), reply)
    if (isObject(told.item)) told.item = { ...told.item, ...renewId('id', told.item, told.output_index, reply) }
    return exactJson({ ...told, ...renewId('item_id', told, told.output_index, reply) })
  }
}

/** A vendor's frame as this client gets it: what the response repeats of another client's request is its own. */
export function passFrame({ wire }: Frame, { body }: Prompt, joined = false): string {
  if (!joined || !mayRepeat(wire)) return wire
  const repeats = Object.entries(repeatsOf(body, ECHOES))
  return withData(wire, data => {
    const event = parseExact(data)
    if (!isObject(event) || !isObject(event.response)) return data
    return exactJson({ ...event, response: withRepeats(event.response, repeats) })
  })
}

const withRepeats = (response: JsonObject, repeats: readonly (readonly [string, unknown])[]): JsonObject => ({
  ...response,
  ...Object.fromEntries(repeats.filter(([member]) => member in response)),
})

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
