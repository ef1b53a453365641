import type { ChatFormat, JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { completions } from 'deflector/formats/completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const CAPS: readonly (readonly [ChatFormat, JsonObject, number | undefined])[] = [
  [chatCompletions, { max_tokens: 5 }, 5],
  [chatCompletions, { max_tokens: 5, max_completion_tokens: 9, n: 3 }, 27],
  [chatCompletions, { max_tokens: null }, undefined],
  [messages, { max_tokens: 7 }, 7],
  [messages, { max_tokens: 'many' }, undefined],
  [responses, { max_output_tokens: 11 }, 11],
  [responses, {}, undefined],
  [generateContent, { generationConfig: { maxOutputTokens: 13, candidateCount: 2 } }, 26],
  [generateContent, { generation_config: { max_output_tokens: 17 } }, 17],
  [completions, { max_tokens: 19, prompt: 'a' }, 19],
  [completions, { max_tokens: 19, prompt: [1, 2, 3] }, 19],
  [completions, { max_tokens: 19, prompt: ['a', 'b', 'c'], n: 2, best_of: 4 }, 228],
  [completions, { max_tokens: 19, prompt: [[1], [2, 3]], n: 2 }, 76],
  [completions, { prompt: 'a' }, undefined],
]

const ANSWERS: readonly (readonly [ChatFormat, JsonObject, number | undefined])[] = [
  [chatCompletions, { n: 3 }, 3],
  [chatCompletions, { n: 'many' }, 1],
  [chatCompletions, { n: 1e300 }, 128],
  [chatCompletions, {}, 1],
  [generateContent, { generationConfig: { candidateCount: 2 } }, 2],
  [generateContent, { generation_config: { candidate_count: 4 } }, 4],
  [completions, { prompt: ['a', 'b'], n: 2, best_of: 3 }, 6],
  [messages, {}, undefined],
]

for (const [format, body, answers] of ANSWERS)
  test(`${format.name}: ${JSON.stringify(body)} asks for ${answers ?? 'one answer, always'}`, () => {
    assert.is(format.choices?.(body), answers)
  })

for (const [format, body, cap] of CAPS)
  test(`${format.name}: ${JSON.stringify(body)} allows ${cap} tokens`, () => {
    assert.is(format.outputCap?.(body), cap)
  })

test.run()
