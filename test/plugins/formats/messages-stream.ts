import {
  type AnswerEvent,
  Assembler,
  type ChatFormat,
  type Completion,
  type Prompt,
  promptOf,
  type ReplyFacts,
} from 'deflector'
import { messages } from 'deflector/formats/messages'
import { sseEvents } from 'deflector/formats/sse'
import { checkChatGrammar } from '../../support/grammar/chat-completions.ts'
import { checkMessagesGrammar } from '../../support/grammar/messages.ts'

export const reply: ReplyFacts = { id: 'r1', created: 1_790_000_000, layer: 'l3' }

export const promptIn = (format: ChatFormat, body: Record<string, unknown>): Prompt =>
  promptOf(format, Buffer.from(JSON.stringify(body)), body)

export const hello = promptIn(messages, {
  model: 'claude-sonnet-5',
  messages: [{ role: 'user', content: 'Hello' }],
})

/** The text of a stream in chunks of `size` bytes. */
export async function* chunks(text: string, size = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, Math.min(bytes.length, at + size))
}

/** What one format's decoder makes of a stream's text. */
export async function decoded(format: ChatFormat, source: AsyncIterable<Uint8Array>): Promise<AnswerEvent[]> {
  const decoder = format.streamDecoder()
  const events: AnswerEvent[] = []
  for await (const event of sseEvents(source)) events.push(...decoder.push(event))
  events.push(...decoder.finish().flatMap(frame => frame.events))
  return events
}

/** What a client of a format is written, which keeps the grammar of its streams. */
export const encoded = (format: ChatFormat, events: Iterable<AnswerEvent>, prompt: Prompt = hello): string => {
  const encoder = format.streamEncoder(prompt, reply)
  const text = [...events].map(event => encoder.push(event)).join('')
  GRAMMARS[format.name]?.(text)
  return text
}

const GRAMMARS: Readonly<Record<string, (text: string) => unknown>> = {
  'chat-completions': checkChatGrammar,
  messages: checkMessagesGrammar,
}

export function assembled(events: Iterable<AnswerEvent>): Completion {
  const assembler = new Assembler()
  for (const event of events) assembler.add(event)
  return assembler.completion()
}
