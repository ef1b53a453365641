import { NO_CALL } from 'deflector'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

/** Clients that expect every answer to be kept send references in place of items, also of items that we made. */
const OWN = { type: 'item_reference', id: 'rs_deflector_abc_0' }
const call = { type: 'function_call', call_id: 'one', name: 'look', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'one', output: 'seen' }
const body = { input: [{ role: 'user', content: 'hi' }, OWN, call, output] }

test('a reference to reasoning that we made is no state of a vendor, and no vendor is sent it', () => {
  assert.equal(responses.readHead(body, NO_CALL).state?.refers, [])
  const { vendorOnly, turns } = responses.decodePrompt(body)
  assert.is(vendorOnly, undefined)
  assert.equal(
    turns.map(({ role, blocks }) => [role, ...blocks.map(({ type }) => type)]),
    [
      ['user', 'text'],
      ['assistant', 'tool_call'],
      ['user', 'tool_result'],
    ],
  )
  assert.equal(responses.foreign?.(body)?.parts, [['input', 1]])
})

test('a reference to what a vendor holds is', () => {
  const held = {
    input: [
      { role: 'user', content: 'hi' },
      { ...OWN, id: 'rs_123' },
    ],
  }
  assert.equal(responses.readHead(held, NO_CALL).state?.refers, ['rs_123'])
  assert.equal(responses.decodePrompt(held).vendorOnly, ['input[1]'])
  assert.is(responses.foreign?.(held), undefined)
})

test.run()
