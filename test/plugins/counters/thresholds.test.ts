import { Thresholds, TypicalAnswers } from 'deflector/counters'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

test('tells each threshold of a counter once, the higher one also after the lower', () => {
  const thresholds = new Thresholds()
  const crosses = (level: 'near' | 'at'): boolean => thresholds.crosses('a|tokens|daily|1', level, 10)
  assert.equal(
    [crosses('near'), crosses('near'), crosses('at'), crosses('near'), crosses('at')],
    [true, false, true, false, false],
  )
})

test('forgets the windows that have ended', () => {
  const thresholds = new Thresholds()
  for (let day = 0; day < 1000; day++) assert.ok(thresholds.crosses(`a|tokens|daily|${day}`, 'at', day))
  assert.ok(thresholds.crosses('b|tokens|daily|0', 'at', 0))
  assert.is(thresholds.size, 2)
})

test('a typical answer is as long as those seen, and a thousand models are remembered at most', () => {
  const typical = new TypicalAnswers()
  assert.is(typical.of('acme', 'm'), 1024)
  for (let i = 0; i < 200; i++) typical.learn('acme', 'm', 100)
  assert.is(typical.of('acme', 'm'), 101)
  assert.is(typical.of('acme', 'other'), 1024)
  for (let i = 0; i < 5000; i++) typical.learn('acme', `model ${i}`, 1)
  assert.ok(typical.size <= 1000)
})

test.run()
