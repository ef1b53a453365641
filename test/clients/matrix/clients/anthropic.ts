import {
  type Answer,
  type Call,
  type Client,
  MAX_TOKENS,
  MODEL,
  type Question,
  type Tool,
  type Turn,
} from '../conversation.ts'
import { load, NODE_PACKAGES } from '../packages.ts'

const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })

function message(turn: Turn): unknown {
  if ('user' in turn)
    return { role: 'user', content: turn.png ? [{ type: 'text', text: turn.user }, image(turn.png)] : turn.user }
  if ('assistant' in turn) return { role: 'assistant', content: turn.assistant }
  if ('native' in turn) return { role: 'assistant', content: turn.native }
  const results = turn.results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text }))
  return { role: 'user', content: results }
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly id: string
  readonly name: string
  readonly input: unknown
}

const bodyOf = ({ system, turns, schema, reasoning }: Question): object => ({
  model: MODEL,
  max_tokens: MAX_TOKENS,
  ...(system && { system }),
  messages: turns.map(message),
  ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
  ...(reasoning && { thinking: { type: 'enabled', budget_tokens: 2000 } }),
})

interface Message {
  readonly content: readonly Block[]
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

const callsOf = (blocks: readonly Block[]): Call[] =>
  blocks.flatMap(({ type, id, name, input }) => (type === 'tool_use' ? [{ id, name, arguments: input }] : []))

const answerOf = ({ content, usage }: Message): Answer => ({
  text: content.map(({ text }) => text ?? '').join(''),
  calls: callsOf(content),
  reasoning: content.map(({ thinking }) => thinking ?? '').join(''),
  tokens: { input: usage.input_tokens, output: usage.output_tokens },
  native: content,
})

const sdk = {
  version: NODE_PACKAGES['@anthropic-ai/sdk'],
  dialect: 'messages',
  retries: 'unless told',
} as const

async function clientAt(url: string) {
  const { default: Anthropic } = await load('@anthropic-ai/sdk')
  return new Anthropic({ baseURL: url, apiKey: 'any' })
}

const toolOf = ({ parameters, ...tool }: Tool) => ({ ...tool, input_schema: parameters })

export const anthropic: Client = {
  ...sdk,
  name: '@anthropic-ai/sdk',
  async open(url) {
    const client = await clientAt(url)
    return {
      async ask(question, stream) {
        const body = { ...bodyOf(question), ...(question.tools && { tools: question.tools.map(toolOf) }) }
        return answerOf(stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body))
      },
    }
  },
}

/** The same SDK where it runs the tools and goes on by itself. */
export const anthropicToolRunner: Client = {
  ...sdk,
  name: '@anthropic-ai/sdk, tool runner',
  async open(url) {
    const client = await clientAt(url)
    return {
      async ask(question, stream, result) {
        const tools = (question.tools ?? []).map(tool => ({
          ...toolOf(tool),
          run: () => result(tool.name),
          parse: (input: unknown) => input,
        }))
        const runner = client.beta.messages.toolRunner({ ...bodyOf(question), tools, stream })
        const rounds: Message[] = []
        for await (const round of runner) rounds.push(stream ? await round.finalMessage() : round)
        const last = rounds.pop()
        if (!last) throw new Error('the runner ended without an answer')
        return { ...answerOf(last), ran: rounds.flatMap(({ content }) => callsOf(content)) }
      },
    }
  },
}
