import * as library from '@xenova/transformers'
import type { WritingTask } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { generate, type OpenModel } from '../../../../plugins/models/text-generation/generate.ts'

type Turn = { readonly role: string; readonly content: string }

/** A model whose likeliest token counts upwards, and a tokenizer that writes the conversation down. */
function opened(options: { refuses?: (turns: readonly Turn[]) => boolean } = {}): {
  open: OpenModel
  calls: { fresh: number; mask: number; past: unknown }[]
  asked: Turn[][]
} {
  const calls: { fresh: number; mask: number; past: unknown }[] = []
  const asked: Turn[][] = []
  const tokenizer = {
    special_tokens: ['<|end|>'],
    apply_chat_template(turns: Turn[]) {
      if (options.refuses?.(turns)) throw new Error(`no template for ${turns[0]?.content}`)
      asked.push(turns)
      return [1, 2, 3]
    },
    decode: (tokens: readonly number[]) => ` ${tokens.join(' ')}`,
  }
  const model = {
    async forward(input: {
      input_ids: { data: unknown[] }
      attention_mask: { data: unknown[] }
      past_key_values: unknown
    }) {
      const { input_ids, attention_mask, past_key_values: past } = input
      calls.push({ fresh: input_ids.data.length, mask: attention_mask.data.length, past })
      const data = new Float32Array(2 * 10).fill(9, 0, 10)
      data[10 + calls.length] = 1
      return { logits: { data, dims: [1, 2, 10] }, past_key_values: calls.length }
    },
  }
  return { open: { library, tokenizer, model, ends: new Set([4]) } as unknown as OpenModel, calls, asked }
}

const TASK: WritingTask = { turns: [{ role: 'user', text: 'Count.' }], maxTokens: 8 }

test('takes the likeliest token of the last row until one that ends, and computes each token once', async () => {
  const { open, calls } = opened()
  const written = await generate(open, TASK, () => false)
  assert.equal(written, { text: '1 2 3', finish: 'stop', usage: { input: 3, output: 3 } })
  assert.equal(calls, [
    { fresh: 3, mask: 3, past: undefined },
    { fresh: 1, mask: 4, past: 1 },
    { fresh: 1, mask: 5, past: 2 },
    { fresh: 1, mask: 6, past: 3 },
  ])
})

test('is cut off by the limit, or by the window', async () => {
  const limited = await generate(opened().open, { ...TASK, maxTokens: 2 }, () => false)
  assert.equal(limited, { text: '1 2', finish: 'length', usage: { input: 3, output: 2 } })
  const narrow = await generate({ ...opened().open, window: 4 }, TASK, () => false)
  assert.equal(narrow, { text: '1', finish: 'length', usage: { input: 3, output: 1 } })
})

test('stops after the token at which nobody waits any more', async () => {
  const { open, calls } = opened()
  assert.is(await generate(open, TASK, () => calls.length === 2), undefined)
  assert.is(calls.length, 2)
})

test('lets messages in between two tokens', async () => {
  const { open, calls } = opened()
  let left = false
  setImmediate(() => {
    left = true
  })
  await generate(open, TASK, () => left)
  assert.is(calls.length, 1)
})

test('puts the system text before the first turn where the template has no system turn', async () => {
  const { open, asked } = opened({ refuses: turns => turns[0]?.role === 'system' })
  await generate(open, { ...TASK, system: 'Be brief.' }, () => false)
  assert.equal(asked, [[{ role: 'user', content: 'Be brief.\n\nCount.' }]])
})

test('refuses turns that the template refuses, and does not quote them', async () => {
  const { open } = opened({ refuses: () => true })
  const error = await generate(open, TASK, () => false).then(
    () => undefined,
    (reason: Error) => reason,
  )
  assert.is(error?.name, 'Refusal')
  assert.not.match(error?.message ?? '', /Count/)
})

test.run()
