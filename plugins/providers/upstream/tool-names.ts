import { createHash } from 'node:crypto'
import type { Answer, Block, Chat } from 'deflector'
import { rewritten } from './rewritten.ts'

/** Letters that vendors with a rule for the names of tools take, and how many of them. */
const OTHER = /[^A-Za-z0-9_-]/g
const LONGEST = 64

/**
 * The conversation with names of tools that the vendor takes. A name outside its rule is written in those letters with a
 * digest behind it, always the same, so that a cached prefix stays; `withGivenNames` turns it back in the answer.
 */
export function withTakenNames(chat: Chat, rule: RegExp | undefined): Chat {
  const taken = takenNames(chat, rule)
  if (taken.size === 0) return chat
  const named = <T extends { readonly name: string }>(one: T): T => ({ ...one, name: taken.get(one.name) ?? one.name })
  const { toolChoice } = chat
  return {
    ...chat,
    tools: chat.tools.map(tool => (tool.hosted ? tool : named(tool))),
    turns: chat.turns.map(turn => ({
      ...turn,
      blocks: turn.blocks.map((block): Block => (block.type === 'tool_call' ? named(block) : block)),
    })),
    ...(toolChoice?.names && {
      toolChoice: { ...toolChoice, names: toolChoice.names.map(name => taken.get(name) ?? name) },
    }),
  }
}

/** The answer with the names that the client gave its tools. */
export function withGivenNames(answer: Answer, chat: Chat, rule: RegExp | undefined): Answer {
  const given = new Map([...takenNames(chat, rule)].map(([name, taken]) => [taken, name]))
  if (given.size === 0) return answer
  const named = <T extends { readonly type: string }>(one: T): T =>
    isCall(one) ? { ...one, name: given.get(one.name) ?? one.name } : one
  return rewritten(answer, { block: named, events: event => [named(event)] })
}

const isCall = (one: { readonly type: string }): one is { readonly type: 'tool_call'; readonly name: string } =>
  one.type === 'tool_call'

/** By the names that the client gave; empty where the vendor takes them all. */
function takenNames({ tools, turns }: Chat, rule: RegExp | undefined): ReadonlyMap<string, string> {
  const taken = new Map<string, string>()
  if (!rule) return taken
  const note = (name: string): void => {
    if (!rule.test(name)) taken.set(name, takenName(name))
  }
  for (const { name, hosted } of tools) if (!hosted) note(name)
  for (const { blocks } of turns) for (const block of blocks) if (block.type === 'tool_call') note(block.name)
  return taken
}

function takenName(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${name.replace(OTHER, '_').slice(0, LONGEST - 1 - digest.length)}_${digest}`
}
