import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WritingTask, WrittenText } from 'deflector'
import type { Library } from 'deflector/model-process'
import { Refusal } from './refusal.ts'

type Tokenizer = Awaited<ReturnType<Library['AutoTokenizer']['from_pretrained']>>
type CausalModel = Awaited<ReturnType<Library['AutoModelForCausalLM']['from_pretrained']>>

export interface OpenModel {
  readonly library: Library
  readonly tokenizer: Tokenizer
  readonly model: CausalModel
  /** Tokens that end an answer. */
  readonly ends: ReadonlySet<number>
  readonly window?: number
}

/**
 * The answer to a conversation, the likeliest token each time, so that equal tasks have equal answers. `undefined` where
 * `stopped` says that it is not awaited any more. The library's own loop cannot be stopped: it never lets messages in.
 */
export async function generate(
  { library, tokenizer, model, ends, window = Number.POSITIVE_INFINITY }: OpenModel,
  task: WritingTask,
  stopped: () => boolean,
): Promise<WrittenText | undefined> {
  const asked = tokensOf(tokenizer, task)
  const most = Math.min(task.maxTokens, window - asked.length)
  if (most < 1) throw new Refusal(`${asked.length} tokens leave no room for an answer in a window of ${window}`)
  const numbers = (tokens: readonly number[]): unknown =>
    new library.Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length])
  const said: number[] = []
  let fresh: readonly number[] = asked
  let past_key_values: unknown
  let finish: WrittenText['finish'] = 'length'
  while (said.length < most) {
    const output = await model.forward({
      input_ids: numbers(fresh),
      attention_mask: numbers(new Array(asked.length + said.length).fill(1)),
      past_key_values,
    })
    past_key_values = output.past_key_values
    const token = likeliest(output.logits)
    if (ends.has(token)) {
      finish = 'stop'
      break
    }
    said.push(token)
    fresh = [token]
    // Lets messages in: the native part computes on this thread, and gives no turn to the event loop.
    await nextTurn()
    if (stopped()) return undefined
  }
  const text = said.length > 0 ? tokenizer.decode(said, { skip_special_tokens: true }).trim() : ''
  return { text, finish, usage: { input: asked.length, output: said.length } }
}

function tokensOf(tokenizer: Tokenizer, task: WritingTask): number[] {
  // Else a prompt could play the assistant, or the system.
  const control: readonly string[] = tokenizer.special_tokens
  const texts = [task.system ?? '', ...task.turns.map(turn => turn.text)]
  if (control.some(word => texts.some(text => text.includes(word))))
    throw new Refusal('a text has a control word of the model')
  const turns = task.turns.map(({ role, text }) => ({ role, content: text }))
  if (!task.system) return encoded(tokenizer, turns)
  try {
    return encoded(tokenizer, [{ role: 'system', content: task.system }, ...turns])
  } catch {
    // Some templates have no system turn; its text then opens the first turn.
    const [first, ...others] = turns
    if (!first) throw new Refusal('there is no turn to answer')
    return encoded(tokenizer, [{ ...first, content: `${task.system}\n\n${first.content}` }, ...others])
  }
}

/** By the model's own chat template. */
function encoded(tokenizer: Tokenizer, turns: { role: string; content: string }[]): number[] {
  try {
    return tokenizer.apply_chat_template(turns, { add_generation_prompt: true, return_tensor: false }) as number[]
  } catch {
    throw new Refusal('the chat template of the model refuses these turns')
  }
}

/** The token with the greatest number in the last row. */
function likeliest({ data, dims }: { readonly data: Float32Array; readonly dims: readonly number[] }): number {
  const words = dims.at(-1) ?? 0
  const last = data.subarray(data.length - words)
  let best = 0
  for (let word = 1; word < words; word++) if ((last[word] as number) > (last[best] as number)) best = word
  return best
}
