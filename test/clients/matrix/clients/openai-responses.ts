import { MAX_TOKENS, MODEL, type Turn } from '../conversation.ts'
import { openai } from './openai.ts'

function items(turn: Turn): readonly unknown[] {
  if ('user' in turn) {
    const image = turn.png
      ? [{ type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${turn.png}` }]
      : []
    return [{ role: 'user', content: [{ type: 'input_text', text: turn.user }, ...image] }]
  }
  if ('assistant' in turn) return [{ role: 'assistant', content: turn.assistant }]
  if ('native' in turn) return Array.isArray(turn.native) ? turn.native : []
  return turn.results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }))
}

interface Item {
  readonly type: string
  readonly call_id: string
  readonly name: string
  readonly arguments: string
  readonly summary?: readonly { readonly text: string }[]
}

export const openaiResponses = openai(
  'openai, responses',
  'responses',
  client =>
    async ({ system, turns, tools, schema, reasoning }, stream) => {
      const body = {
        model: MODEL,
        max_output_tokens: MAX_TOKENS,
        store: false,
        ...(system && { instructions: system }),
        input: turns.flatMap(items),
        ...(tools && { tools: tools.map(tool => ({ type: 'function', strict: true, ...tool })) }),
        ...(schema && { text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } } }),
        ...(reasoning && {
          reasoning: { effort: 'high', summary: 'auto' },
          include: ['reasoning.encrypted_content'],
        }),
      }
      const answer = await (stream ? client.responses.stream(body).finalResponse() : client.responses.create(body))
      const output: readonly Item[] = answer.output
      return {
        text: answer.output_text,
        calls: output.flatMap(({ type, call_id, name, arguments: args }) =>
          type === 'function_call' ? [{ id: call_id, name, arguments: JSON.parse(args) }] : [],
        ),
        reasoning: output.flatMap(({ summary }) => summary?.map(({ text }) => text) ?? []).join(''),
        tokens: { input: answer.usage?.input_tokens, output: answer.usage?.output_tokens },
        native: output,
      }
    },
)
