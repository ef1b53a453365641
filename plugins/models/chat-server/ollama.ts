import { z } from 'zod'
import { Refusal } from '../upstream/json-call.ts'
import { type ChatApi, finishOf } from './chat-api.ts'
import { addressWith, messagesOf } from './messages.ts'

/** An answer with an odd count is an answer. */
const tokens = z.int().nonnegative().optional().catch(undefined)
const reply = z.object({
  message: z.object({ content: z.string() }),
  done: z.literal(true),
  done_reason: z.string().nullish(),
  /** Absent where the whole prompt came from the server's cache. */
  prompt_eval_count: tokens,
  eval_count: tokens,
})

/** A token of code has about this many, one of Chinese too; one of English has more. */
const LEAST_BYTES_PER_TOKEN = 3
/** Tokens that have to be left for an answer; one that is cut off says so. */
const LEAST_ANSWER = 512

/** Ollama's own `POST /api/chat`. */
export const ollama: ChatApi = {
  address: url => addressWith(url, /(?:\/api|\/v1)?(?:\/chat)?(?:\/completions)?$/, '/api/chat'),

  encode(task, { model, contextTokens }) {
    const messages = messagesOf(task)
    // What does not fit it would drop unsaid, the first turns before all.
    const room = contextTokens - Math.ceil(Buffer.byteLength(JSON.stringify(messages)) / LEAST_BYTES_PER_TOKEN)
    if (room < Math.min(task.maxTokens, LEAST_ANSWER))
      throw new Refusal('the conversation may be too long for the window')
    return {
      model,
      messages,
      stream: false,
      ...(task.json && { format: task.schema ?? 'json' }),
      options: {
        num_predict: Math.min(task.maxTokens, room),
        // One window for all calls: another size loads the model anew.
        num_ctx: contextTokens,
        ...(task.temperature !== undefined && { temperature: task.temperature }),
      },
    }
  },

  decode(body) {
    const { message, done_reason, prompt_eval_count: input, eval_count: output } = reply.safeParse(body).data ?? {}
    const finish = message && finishOf(done_reason)
    if (!message || !finish) return undefined
    return {
      text: message.content,
      finish,
      ...(input !== undefined && output !== undefined && { usage: { input, output } }),
    }
  },
}
