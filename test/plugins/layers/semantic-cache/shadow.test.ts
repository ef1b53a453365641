import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { answersAgree, ShadowChecks, upperBound } from '../../../../plugins/layers/semantic-cache/shadow.ts'

const BARS = { code: 0.9, text: 0.8 }

test('a category without mistakes stays as open as it was', () => {
  const checks = new ShadowChecks(BARS, 0.005)
  for (let i = 0; i < 100; i++) checks.record('text', 0.85, true)
  assert.equal(checks.bars, BARS)
})

test('a few samples decide nothing', () => {
  const checks = new ShadowChecks(BARS, 0.005)
  for (let i = 0; i < 10; i++) checks.record('text', 0.85, false)
  assert.equal(checks.bars, BARS)
})

test('a category whose mistakes are low in probability rises above them, and the other one stays', () => {
  const checks = new ShadowChecks(BARS, 0.005)
  for (let i = 0; i < 50; i++) checks.record('text', 0.97, true)
  for (let i = 0; i < 5; i++) checks.record('text', 0.82, false)
  assert.ok(checks.bars.text > 0.82 && checks.bars.text < 0.97)
  assert.is(checks.bars.code, 0.9)
})

test('mistakes that are rare among very many are borne', () => {
  const checks = new ShadowChecks(BARS, 0.05)
  for (let i = 0; i < 400; i++) checks.record('text', 0.9, i !== 200)
  assert.equal(checks.bars, BARS)
})

test('the bound narrows with the samples', () => {
  assert.ok(upperBound(1, 10) > upperBound(10, 100))
  assert.ok(upperBound(0, 1000) < 0.005)
  assert.is(upperBound(0, 0), 1)
})

test('two answers agree when they share most of what they say', () => {
  assert.ok(answersAgree('The capital of Peru is Lima.', 'Lima is the capital of Peru, on the coast.'))
  assert.not.ok(answersAgree('The capital of Peru is Lima.', 'Use git rebase with the interactive flag.'))
})

test('in a short answer a number or a negation decides', () => {
  for (const [a, b] of [
    ['The answer is 5.', 'The answer is 7.'],
    ['Yes, you can sue your landlord.', 'No, you can not sue your landlord.'],
    ['Ethanol boils at 78.37 degrees.', 'Ethanol boils at 64.7 degrees.'],
  ] as const)
    assert.not.ok(answersAgree(a, b), `${a} / ${b}`)
  assert.ok(answersAgree('The answer is 5.', 'It is 5, the answer.'))
})

test.run()
