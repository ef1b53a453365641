import { type ChatFormat, inTurns, type JsonObject, type Steps, stepped } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { busy, countTurns } from '../../support/loop-turns.ts'

const TURNS = 200
const target = { model: 'm', stream: false }

/** A history of calls with numbers that a double does not spell as they came. */
const each = <T>(turn: (at: number) => readonly T[]): T[] =>
  Array.from({ length: TURNS / 2 }, (_, at) => turn(at)).flat()
const line = { line: 1.5, size: 7 }
const HISTORIES: readonly (readonly [ChatFormat, JsonObject])[] = [
  [
    chatCompletions,
    {
      messages: each(at => [
        {
          role: 'assistant',
          tool_calls: [{ id: `c${at}`, type: 'function', function: { name: 'look', arguments: '{"line":1.0}' } }],
        },
        { role: 'tool', tool_call_id: `c${at}`, content: 'seen' },
      ]),
    },
  ],
  [
    messages,
    {
      max_tokens: 9,
      messages: each(at => [
        { role: 'assistant', content: [{ type: 'tool_use', id: `c${at}`, name: 'look', input: line }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${at}`, content: 'seen' }] },
      ]),
    },
  ],
  [
    responses,
    {
      input: each(at => [
        { type: 'function_call', call_id: `c${at}`, name: 'look', arguments: '{"line":1.0}' },
        { type: 'function_call_output', call_id: `c${at}`, output: 'seen' },
      ]),
    },
  ],
  [
    generateContent,
    {
      contents: each(at => [
        { role: 'model', parts: [{ functionCall: { id: `c${at}`, name: 'look', args: line } }] },
        { role: 'user', parts: [{ functionResponse: { id: `c${at}`, name: 'look', response: { at: 1.5 } } }] },
      ]),
    },
  ],
]

function counted<T>(steps: Steps<T> | undefined): { readonly value: T; readonly steps: number } {
  if (!steps) throw new Error('there are no steps')
  for (let count = 0; ; count++) {
    const step = steps.next()
    if (step.done) return { value: step.value, steps: count }
  }
}

for (const [format, body] of HISTORIES)
  test(`${format.name}: a history is read and written in a step for each turn`, () => {
    const bytes = Buffer.from(JSON.stringify(body))
    const read = counted(format.decodePrompt.steps?.(body, bytes))
    assert.ok(read.steps >= TURNS, `${read.steps} steps`)
    assert.equal(read.value, format.decodePrompt(body, bytes))
    const written = counted(format.encodePrompt.steps?.(read.value, target))
    assert.ok(written.steps >= read.value.turns.length, `${written.steps} steps`)
    assert.equal(written.value, format.encodePrompt(read.value, target))
  })

test('others have their turn between two long steps, and what throws throws', async () => {
  const work = stepped(function* (steps: number): Steps<number> {
    for (let at = 0; at < steps; at++) {
      busy()
      yield
    }
    if (steps > 3) throw new Error('too many')
    return steps
  })
  const loop = countTurns()
  assert.is(await inTurns(work, 3), 3)
  loop.stop()
  assert.ok(loop.turns >= 2, `${loop.turns} turns`)
  assert.is(work(2), 2)
  assert.is(await inTurns((text: string) => text.length, 'abc'), 3)
  try {
    await inTurns(work, 4)
    assert.unreachable()
  } catch (error) {
    assert.match(String(error), /too many/)
  }
})

test.run()
