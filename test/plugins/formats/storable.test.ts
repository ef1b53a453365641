import type { AnswerBlock, Completion, StopReason } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import * as formats from '../../../plugins/formats/storable.ts'

const storable = (completion: Completion): boolean => formats.storable(completion, 'messages')

const said = (reason: StopReason, ...blocks: AnswerBlock[]): Completion => ({
  id: '',
  model: 'm',
  created: 0,
  blocks,
  stop: { reason },
})
const text = (text: string): AnswerBlock => ({ type: 'text', text })
const call = (args: string): AnswerBlock => ({ type: 'tool_call', id: 'c', name: 'f', args })

test('keeps what the model finished', () => {
  assert.ok(storable(said('stop', text('Hi'))))
  assert.ok(storable(said('stop_sequence', text('Hi'))))
  assert.ok(storable(said('tool_use', call('{"a":1}'))))
  assert.ok(storable(said('stop', { type: 'reasoning', text: 'Hm' }, text('Hi'))))
  assert.ok(storable(said('tool_use', text('Let me look.'), call('{}'), call('{"b":[1]}'))))
  assert.ok(storable(said('stop', { type: 'opaque', format: 'messages', value: {} })))
})

test('takes a call without arguments for a call with none', () => {
  assert.ok(storable(said('tool_use', call(''))))
})

test('keeps nothing that was cut, filtered, refused, paused or ended for reasons unknown', () => {
  for (const reason of ['length', 'context', 'filtered', 'refusal', 'paused', 'unknown'] as const) {
    assert.not.ok(storable(said(reason, text('Hi'), call('{}'))), reason)
  }
  assert.not.ok(storable(said('stop', { type: 'refusal', text: 'No.' })))
  assert.not.ok(storable(said('stop', text('Well, '), { type: 'refusal', text: 'no.' })))
})

test('keeps nothing of which any choice is unfit', () => {
  const answer = said('stop', text('Hi'))
  assert.ok(storable({ ...answer, others: [said('stop', text('Hello'))] }))
  for (const other of [said('length', text('He')), said('filtered', text('He')), said('stop', text(''))])
    assert.not.ok(storable({ ...answer, others: [said('stop', text('Hello')), other] }))
})

test('keeps nothing empty', () => {
  assert.not.ok(storable(said('stop')))
  assert.not.ok(storable(said('stop', text(''))))
  assert.not.ok(storable(said('stop', text(' \n'))))
  assert.not.ok(storable(said('stop', { type: 'reasoning', text: 'Hm' })))
  assert.not.ok(storable(said('tool_use', text('I would call something.'))))
})

test('keeps nothing that is empty for the client: what another format kept is not written for it', () => {
  const foreign: AnswerBlock = { type: 'opaque', format: 'responses', value: {} }
  for (const reason of ['stop', 'tool_use'] as const) assert.not.ok(storable(said(reason, foreign)), reason)
  assert.ok(storable(said('stop', foreign, text('Hi'))))
  assert.ok(storable(said('tool_use', foreign, call('{}'))))
})

test('keeps no call whose arguments are not JSON', () => {
  for (const args of ['{"a":', '{a:1}', 'undefined', '{"a":1}}']) {
    assert.not.ok(storable(said('tool_use', call('{}'), call(args))), args)
  }
})

test.run()
