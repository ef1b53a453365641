import { periodAt, type WindowName } from 'deflector/counters'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const span = (window: WindowName, now: string): string[] => {
  const { beganAt, endsAt } = periodAt(window, Date.parse(now))
  return [beganAt, endsAt].map(at => new Date(at).toISOString().replace(/(T00:00)?:00\.000Z$/, ''))
}

test('a day begins at midnight, UTC', () => {
  assert.equal(span('daily', '2026-11-22T00:00:00Z'), ['2026-11-22', '2026-11-23'])
  assert.equal(span('daily', '2026-11-22T23:59:59.999Z'), ['2026-11-22', '2026-11-23'])
  assert.equal(span('daily', '2026-11-22T23:30:00-05:00'), ['2026-11-23', '2026-11-24'])
})

test('a week begins on Monday', () => {
  assert.equal(span('weekly', '2026-11-22T23:59:59.999Z'), ['2026-11-16', '2026-11-23'])
  assert.equal(span('weekly', '2026-11-23T00:00:00Z'), ['2026-11-23', '2026-11-30'])
  assert.equal(span('weekly', '2027-01-01T12:00:00Z'), ['2026-12-28', '2027-01-04'])
  assert.equal(span('weekly', '1970-01-01T00:00:00Z'), ['1969-12-29', '1970-01-05'])
})

test('a month begins on the first, however long it is', () => {
  assert.equal(span('monthly', '2026-11-30T23:59:59.999Z'), ['2026-11-01', '2026-12-01'])
  assert.equal(span('monthly', '2026-12-31T23:59:59.999Z'), ['2026-12-01', '2027-01-01'])
  assert.equal(span('monthly', '2028-02-29T12:00:00Z'), ['2028-02-01', '2028-03-01'])
})

test('a minute begins with its first second', () => {
  assert.equal(span('minute', '2026-11-22T10:11:59.999Z'), ['2026-11-22T10:11', '2026-11-22T10:12'])
})

test.run()
