import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from 'deflector'
import { CHAT_ID_LIMIT, shortId } from 'deflector/formats/short-id'
import type { Quirks } from './quirks-schema.ts'

interface Message extends JsonObject {
  readonly role?: unknown
}

/** The messages with this vendor's differences, or `undefined` when they can go out as they are. */
export function patchedHistory(messages: unknown, quirks: Quirks): unknown[] | undefined {
  if (!Array.isArray(messages)) return undefined
  let changed = false
  const out = messages.map((message: unknown) => {
    if (!isObject(message)) return message
    const next = patchedMessage(message, quirks)
    if (next !== message) changed = true
    return next
  })
  const joined = quirks.alternate_roles === true ? withoutRepeats(out) : out
  return changed || joined.length < out.length ? joined : undefined
}

/** Does the history have a tool call without the reasoning that led to it, such as another vendor's? */
export const hasBareCall = (messages: unknown): boolean =>
  Array.isArray(messages) &&
  messages.some(
    message =>
      isObject(message) &&
      message.role === 'assistant' &&
      Array.isArray(message.tool_calls) &&
      message.tool_calls.length > 0 &&
      typeof message.reasoning_content !== 'string',
  )

function patchedMessage(message: Message, quirks: Quirks): Message {
  let out = message
  if (quirks.developer_role === 'system' && out.role === 'developer') out = { ...out, role: 'system' }
  if (quirks.system_role === 'user' && out.role === 'system') out = { ...out, role: 'user' }
  const reasoningField = quirks.history_reasoning_field
  if (reasoningField !== undefined && reasoningField !== 'reasoning_content' && 'reasoning_content' in out) {
    const { reasoning_content: reasoning, ...rest } = out
    out = { [reasoningField]: reasoning, ...rest }
  }
  for (const field of quirks.drop_message_fields ?? []) {
    if (!(field in out)) continue
    const { [field]: _, ...rest } = out
    out = rest
  }
  const { tool_call_ids: form = 'any' } = quirks
  return form === 'any' ? out : withIds(out, ID_FORMS[form])
}

/** Texts of one role that follow each other become one; anything else stays apart. */
function withoutRepeats(messages: readonly unknown[]): unknown[] {
  const out: unknown[] = []
  for (const message of messages) {
    const before = out.at(-1)
    if (isText(before) && isText(message) && before.role === message.role && message.role !== 'system')
      out[out.length - 1] = { ...before, content: `${before.content}\n\n${message.content}` }
    else out.push(message)
  }
  return out
}

const isText = (message: unknown): message is Message & { readonly content: string } =>
  isObject(message) && typeof message.content === 'string' && message.tool_calls === undefined

/** Ids in the forms that vendors demand. The same id always gives the same, so that a call and its result still meet. */
const ID_FORMS: Readonly<Record<'forty_characters' | 'nine_alphanumeric', (id: string) => string>> = {
  forty_characters: id => shortId(id, CHAT_ID_LIMIT),
  nine_alphanumeric: id => (/^[A-Za-z0-9]{9}$/.test(id) ? id : hashed(id)),
}

const hashed = (id: string): string =>
  BigInt(`0x${createHash('sha256').update(id).digest('hex')}`)
    .toString(36)
    .slice(0, 9)

function withIds(message: Message, formed: (id: string) => string): Message {
  const { tool_call_id: id, tool_calls: calls } = message
  const isOther = (given: unknown): given is string => typeof given === 'string' && formed(given) !== given
  const own = isOther(id) ? { tool_call_id: formed(id) } : undefined
  const foreign = Array.isArray(calls) && calls.some(call => isObject(call) && isOther(call.id))
  if (!own && !foreign) return message
  return {
    ...message,
    ...own,
    ...(foreign && {
      tool_calls: calls.map((call: unknown) =>
        isObject(call) && isOther(call.id) ? { ...call, id: formed(call.id) } : call,
      ),
    }),
  }
}
