import { type ChatFormat, isObject, type JsonObject, type Prompt, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import optimiser from '../../../plugins/layers/optimiser/index.ts'
import { TestExchange, testHost } from '../../contracts/host.ts'
import type { AgentSession } from '../agent-bodies.ts'

const FORMATS: Readonly<Record<AgentSession['format'], ChatFormat>> = {
  'chat-completions': chatCompletions,
  messages,
  responses,
  'generate-content': generateContent,
}

export const promptFor = ({ format }: Pick<AgentSession, 'format'>, body: object): Prompt => {
  const bytes = Buffer.from(JSON.stringify(body))
  return promptOf(FORMATS[format], bytes, JSON.parse(bytes.toString()))
}

/** The bodies of a conversation as they would be sent, one after the other. */
export async function optimised(session: AgentSession, bodies: readonly object[], options: object): Promise<Prompt[]> {
  const host = testHost('layer')
  host.apply(optimiser, options)
  await host.start()
  const sent: Prompt[] = []
  for (const body of bodies) {
    const id = session.headers['x-session-id']
    const exchange = new TestExchange({ prompt: promptFor(session, body), ...(id !== undefined && { session: id }) })
    await host.call.answer(exchange)
    sent.push(exchange.outgoing)
  }
  await host.dispose()
  return sent
}

const counts = new Map<string, number>()

export function tokensOf(text: string): number {
  const known = counts.get(text) ?? countTokens(text)
  counts.set(text, known)
  return known
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

/** One part of a prompt, as its vendor reads it. */
export interface Piece {
  readonly text: string
  /** The client, or the gateway, has the vendor cache up to here. */
  readonly marked: boolean
}

/** What a vendor reads of a body, in its order: tools first, then instructions, then turns. */
export function piecesOf(body: JsonObject): Piece[] {
  const { tools, system, systemInstruction, instructions } = body
  const said = [body.messages, body.input, body.contents].flatMap(list)
  return [...list(tools), ...list(system), ...list(systemInstruction), ...list(instructions), ...said].map(value => ({
    text: JSON.stringify(value, (key, member: unknown) => (key === 'cache_control' ? undefined : member)),
    marked: JSON.stringify(value).includes('"cache_control":{'),
  }))
}

export const bodyOf = ({ bytes }: Prompt): JsonObject => {
  const body: unknown = JSON.parse(Buffer.from(bytes).toString())
  return isObject(body) ? body : {}
}
