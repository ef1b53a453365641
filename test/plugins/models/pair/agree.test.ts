import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { agree } from '../../../../plugins/models/pair/agree.ts'

test('two answers agree when they share most of what they say', () => {
  assert.ok(agree('The capital of Peru is Lima.', 'Lima is the capital of Peru, on the coast.'))
  assert.not.ok(agree('The capital of Peru is Lima.', 'Use git rebase with the interactive flag.'))
})

test('in a short answer a number or a negation decides', () => {
  for (const [a, b] of [
    ['The answer is 5.', 'The answer is 7.'],
    ['Yes, you can sue your landlord.', 'No, you can not sue your landlord.'],
    ['Ethanol boils at 78.37 degrees.', 'Ethanol boils at 64.7 degrees.'],
  ] as const)
    assert.not.ok(agree(a, b), `${a} / ${b}`)
  assert.ok(agree('The answer is 5.', 'It is 5, the answer.'))
})

test.run()
