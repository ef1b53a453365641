import type { Chat, Exchange, JsonObject, Prompt, TextTurn, WritingTask } from 'deflector'
import { checkOf } from './schema.ts'

/** A request that a small model can be asked: text alone, in and out. */
export interface Conversation {
  /** Without the limit of tokens that the settings have. */
  readonly task: Omit<WritingTask, 'maxTokens'>
  /** The client's own limit. */
  readonly maxTokens: number | undefined
  readonly stop: readonly string[]
  /** The user's last words. */
  readonly last: string
}

/** Larger bodies are not read at all: their JSON alone takes longer than a short conversation needs. */
const LARGEST_BODY = 128 << 10

/** Servers that hold a model to a schema need not show it. */
const SCHEMA = 'Answer with JSON that fits this schema, and with nothing else:\n'

/** The conversation of a request, or why the small model cannot be asked: a client must not miss what a vendor gives. */
export function conversationOf(exchange: Exchange, maxChars: number): Conversation | string {
  const { prompt, route } = exchange
  if (route.named) return 'named_provider'
  if (prompt.state !== undefined) return 'vendor_state'
  if (prompt.bytes.length > LARGEST_BODY) return 'long'
  const chat = readable(prompt)
  if (!chat) return 'unreadable'
  const needs = needsOf(chat)
  if (needs !== undefined) return needs
  const turns = textTurns(chat)
  const last = turns?.at(-1)
  if (!turns || !last) return 'not_text'
  if (last.role !== 'user' || last.text.trim() === '') return 'no_question'
  const { responseFormat } = chat
  const schema = responseFormat?.type === 'schema' ? responseFormat.schema : undefined
  const system = [...chat.system, ...(schema ? [SCHEMA + JSON.stringify(schema)] : [])].join('\n\n')
  if (turns.reduce((sum, { text }) => sum + text.length, system.length) > maxChars) return 'long'
  const { temperature, stop = [] } = chat.sampling
  const maxTokens = chat.maxOutput ?? prompt.dialect.outputCap?.(prompt.body)
  if (maxTokens !== undefined && !isLimit(maxTokens)) return 'odd_limit'
  return {
    task: {
      ...(system !== '' && { system }),
      turns,
      ...(responseFormat && { json: true }),
      ...(schema && { schema }),
      ...(temperature !== undefined && { temperature }),
    },
    maxTokens,
    stop,
    last: last.text,
  }
}

/** Vendors refuse any other number, and to some local servers -1 means no limit at all. */
const isLimit = (tokens: number): boolean => Number.isInteger(tokens) && tokens > 0

/** What cannot be read here may still be what a vendor of its dialect understands. */
function readable(prompt: Prompt): Chat | undefined {
  try {
    return prompt.chat
  } catch {
    return undefined
  }
}

/** What the request asks for that an answer of plain text cannot give. */
function needsOf(chat: Chat): string | undefined {
  const { tools, toolChoice, wanted, responseFormat, reasoning, serving, vendorOnly = [], unread } = chat
  if (serving?.kept) return 'vendor_state'
  // A choice among no tools is none, unless it must be made.
  const { mode = 'none' } = toolChoice ?? {}
  if (tools.length > 0 || (mode !== 'none' && mode !== 'auto')) return 'tools'
  if (wanted?.choices !== undefined || wanted?.logprobs || wanted?.audio) return 'more_than_text'
  if (responseFormat?.type === 'schema' && !isCheckable(responseFormat.schema)) return 'schema'
  // Reasoning that was asked for is part of the answer, also where its model may decide against it.
  if (reasoning && reasoning.mode !== 'off') return 'reasoning'
  return vendorOnly.length > 0 || unread ? 'vendor_fields' : undefined
}

/** A schema without any word lets everything pass: what its client meant stands elsewhere, or nowhere. */
const isCheckable = (schema: JsonObject): boolean => Object.keys(schema).length > 0 && checkOf(schema) !== undefined

/** `undefined` where a turn is more than text, or an instruction in mid-conversation, for which small models have no place. */
function textTurns({ turns }: Chat): readonly TextTurn[] | undefined {
  const texts: TextTurn[] = []
  for (const { role, blocks } of turns) {
    if (role === 'system') return undefined
    const parts: string[] = []
    for (const block of blocks) {
      if (block.type !== 'text') return undefined
      parts.push(block.text)
    }
    texts.push({ role, text: parts.join('\n\n') })
  }
  return texts
}
