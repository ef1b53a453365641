import { type Client, MAX_TOKENS, MODEL, type Turn } from '../conversation.ts'
import { load } from '../packages.ts'

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

export const anthropic: Client = {
  name: '@anthropic-ai/sdk',
  package: '@anthropic-ai/sdk',
  dialect: 'messages',
  retries: 'unless told',
  async open(url) {
    const { default: Anthropic } = await load('@anthropic-ai/sdk')
    const client = new Anthropic({ baseURL: url, apiKey: 'any' })
    return {
      async ask({ system, turns, tools, schema, reasoning }, stream) {
        const body = {
          model: MODEL,
          max_tokens: MAX_TOKENS,
          ...(system && { system }),
          messages: turns.map(message),
          ...(tools && {
            tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
          }),
          ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
          ...(reasoning && { thinking: { type: 'enabled', budget_tokens: 2000 } }),
        }
        const answer = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
        const blocks: readonly Block[] = answer.content
        return {
          text: blocks.map(({ text }) => text ?? '').join(''),
          calls: blocks.flatMap(({ type, id, name, input }) =>
            type === 'tool_use' ? [{ id, name, arguments: input }] : [],
          ),
          reasoning: blocks.map(({ thinking }) => thinking ?? '').join(''),
          tokens: { input: answer.usage.input_tokens, output: answer.usage.output_tokens },
          native: answer.content,
        }
      },
    }
  },
}
