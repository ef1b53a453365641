import { isObject, type WritingTask } from 'deflector'
import { z } from 'zod'
import { type ChatApi, finishOf } from './chat-api.ts'
import { addressWith, messagesOf } from './messages.ts'

const tokens = z.int().nonnegative()
const reply = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullish() }), finish_reason: z.string().nullish() }))
    .min(1),
  /** An answer with an odd count is an answer. */
  usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish().catch(undefined),
})

/** `POST /v1/chat/completions`, as llama.cpp, vLLM, LM Studio and Ollama take it. */
export const openai: ChatApi = {
  address: url => addressWith(url, /(?:\/v1)?(?:\/chat\/completions)?$/, '/v1/chat/completions'),

  encode: (task, { model }) => ({
    model,
    messages: messagesOf(task),
    max_tokens: task.maxTokens,
    stream: false,
    ...(task.temperature !== undefined && { temperature: task.temperature }),
    ...(task.json && { response_format: formatOf(task) }),
  }),

  decode(body) {
    const { choices: [choice] = [], usage } = reply.safeParse(body).data ?? {}
    const finish = choice && finishOf(choice.finish_reason)
    if (!choice || !finish) return undefined
    return {
      text: choice.message.content ?? '',
      finish,
      ...(usage && { usage: { input: usage.prompt_tokens, output: usage.completion_tokens } }),
    }
  },
}

/** Ollama signs its answers in this format. */
export const isFromOllama = (reply: unknown): boolean => isObject(reply) && reply.system_fingerprint === 'fp_ollama'

/** Servers want a name for a schema, and show it to nobody. */
const formatOf = ({ schema }: WritingTask): object =>
  schema ? { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } : { type: 'json_object' }
