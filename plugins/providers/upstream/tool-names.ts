import { createHash } from 'node:crypto'
import type { Answer, Block, Chat, Prompt } from 'deflector'
import { rewritten } from './rewritten.ts'

/** Letters that every vendor takes in the name of a tool, and how many of them. Some want a letter or `_` first. */
const OTHER = /[^A-Za-z0-9_-]/g
const LONGEST = 64

/**
 * The names of one call's tools, on their way to a vendor and back. A name outside the vendor's rule is written in its
 * letters with a digest behind it, always the same, so that a cached prefix stays.
 */
export class ToolNames {
  readonly #prompt: Prompt
  readonly #rule: RegExp | undefined
  #taken: ReadonlyMap<string, string> | undefined

  /** Without a rule the vendor takes them all. */
  constructor(prompt: Prompt, rule: RegExp | undefined) {
    this.#prompt = prompt
    this.#rule = rule
  }

  /** The conversation, which is the prompt's or made of it, with names that the vendor takes. */
  taken(chat: Chat): Chat {
    const names = this.#names()
    if (names.size === 0) return chat
    const named = <T extends { readonly name: string }>(one: T): T => ({
      ...one,
      name: names.get(one.name) ?? one.name,
    })
    const { toolChoice } = chat
    return {
      ...chat,
      tools: chat.tools.map(tool => (tool.hosted ? tool : named(tool))),
      turns: chat.turns.map(turn => ({
        ...turn,
        blocks: turn.blocks.map((block): Block => (block.type === 'tool_call' ? named(block) : block)),
      })),
      ...(toolChoice?.names && {
        toolChoice: { ...toolChoice, names: toolChoice.names.map(name => names.get(name) ?? name) },
      }),
    }
  }

  /** The answer with the names that the client gave its tools. */
  given(answer: Answer): Answer {
    const given = new Map([...this.#names()].map(([name, taken]) => [taken, name]))
    if (given.size === 0) return answer
    const named = <T extends { readonly type: string }>(one: T): T =>
      isCall(one) ? { ...one, name: given.get(one.name) ?? one.name } : one
    return rewritten(answer, { block: named, events: event => [named(event)] })
  }

  /** What the vendor does not take, by the names that the client gave. The whole history is read for it, so only once. */
  #names(): ReadonlyMap<string, string> {
    this.#taken ??= this.#rule ? takenNames(this.#prompt.chat, this.#rule) : NONE
    return this.#taken
  }
}

const NONE: ReadonlyMap<string, string> = new Map()

const isCall = (one: { readonly type: string }): one is { readonly type: 'tool_call'; readonly name: string } =>
  one.type === 'tool_call'

function takenNames({ tools, turns }: Chat, rule: RegExp): ReadonlyMap<string, string> {
  const taken = new Map<string, string>()
  const note = (name: string): void => {
    if (!rule.test(name)) taken.set(name, takenName(name, rule))
  }
  for (const { name, hosted } of tools) if (!hosted) note(name)
  for (const { blocks } of turns) for (const block of blocks) if (block.type === 'tool_call') note(block.name)
  return taken
}

function takenName(name: string, rule: RegExp): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  const written = (plain: string): string => `${plain.slice(0, LONGEST - 1 - digest.length)}_${digest}`
  const plain = name.replace(OTHER, '_')
  return rule.test(written(plain)) ? written(plain) : written(`_${plain}`)
}
