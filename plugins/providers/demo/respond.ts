import { createHash } from 'node:crypto'
import type { AnswerBlock, Block, Chat, Tool } from 'deflector'
import { findSum, shown } from './arithmetic.ts'
import { findFact } from './facts.ts'
import { sampleOf } from './sample.ts'

/** The same conversation always gets the same answer. */
export function respond(chat: Chat): AnswerBlock[] {
  const last = chat.turns.findLast(({ role }) => role === 'user')?.blocks ?? []
  const asked = textOf(last)
  const results = last.filter(block => block.type === 'tool_result')
  if (results.length > 0) {
    const said = results.map(({ blocks }) => textOf(blocks)).join('; ')
    return text(`The tool answered: ${said === '' ? '(nothing)' : said}`)
  }
  const tool = wantedTool(chat, asked)
  if (tool) return [callOf(tool, asked)]
  const answer = answerTo(asked)
  if (chat.responseFormat?.type === 'schema') return text(JSON.stringify(sampleOf(chat.responseFormat.schema, asked)))
  return text(chat.responseFormat?.type === 'json' ? JSON.stringify({ answer }) : answer)
}

function answerTo(asked: string): string {
  const sum = findSum(asked)
  if (sum)
    return sum.value === undefined
      ? `${sum.expression} has no value: nothing can be divided by zero.`
      : `${sum.expression} = ${shown(sum.value)}`
  const fact = findFact(asked)
  if (fact) return fact.answer
  if (/^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening)|hallo|bonjour|hola)\b/i.test(asked)) {
    return 'Hello! I am the demo provider of deflector: no model, only sums and a small table of facts. Ask me "what is 17 * 23" or "how do I undo a git commit".'
  }
  if (/\b(?:thanks|thank you)\b/i.test(asked)) return 'You are welcome.'
  if (/\b(?:who|what) are you\b/i.test(asked))
    return 'I am the demo provider of deflector. I answer offline and know very little, so that you can see the caches work.'
  if (/\bwhat can you do\b|^\s*help\b/i.test(asked)) {
    return 'I can do sums, call a tool that you name, fill a JSON schema, and say a few sentences about HTTP, caches, git and their neighbours.'
  }
  const topic = topicOf(asked)
  const about = topic === '' ? '' : ` You asked about: ${topic}.`
  return `This is the demo provider; it has no model behind it and no answer to that.${about} Configure a provider to get a real one.`
}

/** A tool is called when the client demands one, or when the prompt names it. */
function wantedTool({ tools, toolChoice }: Chat, asked: string): Tool | undefined {
  if (toolChoice?.mode === 'none' || tools.length === 0) return undefined
  const words = wordsOf(asked)
  const named = (tool: Tool): boolean => {
    const name = wordsOf(tool.name)
    // A name of one word (`read`) may stand in any sentence; it is meant where it is to be called.
    const single = name.trim().split(' ').length === 1
    return single
      ? ['call', 'use', 'run', 'invoke', 'the'].some(verb => words.includes(` ${verb}${name}`)) &&
          /\b(?:call|use|run|invoke)\b/i.test(asked)
      : words.includes(name)
  }
  const allowed = toolChoice?.names ? tools.filter(({ name }) => toolChoice.names?.includes(name)) : tools
  const found = allowed.find(named)
  return found ?? (toolChoice?.mode === 'any' || toolChoice?.mode === 'named' ? allowed[0] : undefined)
}

/** `getWeather`, `get_weather` and "get weather" are the same words. */
const wordsOf = (name: string): string =>
  ` ${name
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

function callOf(tool: Tool, asked: string): AnswerBlock {
  const args = JSON.stringify(sampleOf(tool.parameters ?? { type: 'object' }, asked))
  const id = `call_${createHash('sha256').update(`${tool.name}\n${args}`).digest('hex').slice(0, 24)}`
  return { type: 'tool_call', id, name: tool.name, args }
}

/** The prompt's own longer words, few enough to read. */
function topicOf(asked: string): string {
  const words = asked.match(/[\p{L}\p{N}][\p{L}\p{N}'_-]{3,}/gu) ?? []
  return [...new Set(words)].slice(0, 8).join(' ')
}

const textOf = (blocks: readonly Block[]): string =>
  blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')

const text = (answer: string): AnswerBlock[] => [{ type: 'text', text: answer }]
