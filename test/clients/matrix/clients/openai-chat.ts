import { MAX_TOKENS, MODEL, type Turn } from '../conversation.ts'
import { openai } from './openai.ts'

const image = (png: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } })

function messages(turn: Turn): unknown[] {
  if ('user' in turn)
    return [{ role: 'user', content: turn.png ? [{ type: 'text', text: turn.user }, image(turn.png)] : turn.user }]
  if ('assistant' in turn) return [{ role: 'assistant', content: turn.assistant }]
  if ('native' in turn) return [turn.native]
  return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly reasoning_content?: string } }[]
}

export const openaiChat = openai(
  'openai, chat',
  'chat-completions',
  client =>
    async ({ system, turns, tools, schema, reasoning }, stream) => {
      const body = {
        model: MODEL,
        max_completion_tokens: MAX_TOKENS,
        messages: [...(system ? [{ role: 'system', content: system }] : []), ...turns.flatMap(messages)],
        ...(tools && { tools: tools.map(tool => ({ type: 'function', function: tool })) }),
        ...(schema && {
          response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
        }),
        ...(reasoning && { reasoning_effort: 'high' }),
      }
      const pieces: string[] = []
      // The library keeps only the last piece of a field that it does not know.
      const streamed = () =>
        client.chat.completions
          .stream({ ...body, stream_options: { include_usage: true } })
          .on('chunk', (chunk: Chunk) => pieces.push(chunk.choices[0]?.delta.reasoning_content ?? ''))
          .finalChatCompletion()
      const answer = await (stream ? streamed() : client.chat.completions.create(body))
      const [{ message }] = answer.choices
      return {
        text: message.content ?? '',
        calls: (message.tool_calls ?? []).map(
          (call: { id: string; function: { name: string; arguments: string } }) => ({
            id: call.id,
            name: call.function.name,
            arguments: JSON.parse(call.function.arguments),
          }),
        ),
        reasoning: stream ? pieces.join('') : message.reasoning_content,
        tokens: { input: answer.usage?.prompt_tokens, output: answer.usage?.completion_tokens },
        native: message,
      }
    },
)
