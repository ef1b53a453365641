import type { Block, Turn } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { distinctCalls } from '../../../plugins/formats/distinct-calls.ts'

const call = (id: string, name: string): Turn => ({
  role: 'assistant',
  blocks: [{ type: 'tool_call', id, name, args: '{}' }],
})
const result = (id: string, text: string): Turn => ({
  role: 'user',
  blocks: [{ type: 'tool_result', id, isError: false, blocks: [{ type: 'text', text }] }],
})
const words: Turn = { role: 'user', blocks: [{ type: 'text', text: 'and now?' }] }

function distinct(turns: readonly Turn[]): Block[] {
  const steps = distinctCalls(turns)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value.flatMap(({ blocks }) => blocks)
  }
}
const idsOf = (turns: readonly Turn[]): (string | undefined)[] =>
  distinct(turns).map(block => ('id' in block ? String(block.id) : undefined))

test('calls of one id in messages that follow each other keep a result each', () => {
  const turns = [call('c', 'a'), call('c', 'b'), result('c', 'of a'), result('c', 'of b')]
  assert.equal(idsOf(turns), ['c', 'c_2', 'c', 'c_2'])
})

test('a result that never came is not that of a later call', () => {
  assert.equal(idsOf([call('c', 'a'), words, call('c', 'b'), result('c', 'of b')]), ['c', undefined, 'c_2', 'c_2'])
})

test('as many calls of one id as a body has room for are told apart', () => {
  const many = 200_000
  const blocks = Array.from({ length: many }, () => ({ type: 'tool_call', id: 'c', name: 'f', args: '' }) as const)
  const ids = idsOf([{ role: 'assistant', blocks }])
  assert.is(new Set(ids).size, many)
})

test.run()
