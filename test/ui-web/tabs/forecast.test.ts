import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { forecastOf } from '../../../ui-web/src/tabs/usage/forecast.ts'

const at = (text: string): number => Date.parse(text)
const daily = { window: 'daily', limit: 100, resets_at: '2026-11-24T00:00:00Z' } as const

test('a forecast is a straight line from the beginning of its window', () => {
  const noon = at('2026-11-23T12:00:00Z')
  assert.equal(forecastOf({ ...daily, used: 30 }, noon), { amount: 60, fullAt: undefined })
  assert.equal(forecastOf({ ...daily, used: 80 }, noon), { amount: 160, fullAt: at('2026-11-23T15:00:00Z') })
  const monthly = { window: 'monthly', limit: 100, used: 10, resets_at: '2026-12-01T00:00:00Z' } as const
  assert.is(forecastOf(monthly, at('2026-11-16T00:00:00Z'))?.amount, 20)
  const weekly = { window: 'weekly', limit: 100, used: 10, resets_at: '2026-11-30T00:00:00Z' } as const
  assert.is(forecastOf(weekly, at('2026-11-24T00:00:00Z'))?.amount, 70)
})

test('there is none for a minute, for a window that has just begun, and for a limit that is reached', () => {
  assert.is(forecastOf({ ...daily, window: 'minute', used: 1 }, at('2026-11-23T23:59:30Z')), undefined)
  assert.is(forecastOf({ ...daily, used: 1 }, at('2026-11-23T00:05:00Z')), undefined)
  assert.is(forecastOf({ ...daily, used: 100 }, at('2026-11-23T12:00:00Z')), undefined)
})

test.run()
