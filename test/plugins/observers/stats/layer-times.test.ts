import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { layerTimes } from '../../../../plugins/observers/stats/layer-times.ts'

const row = (tap: string, ms: number, hook = 'answer') => ({ hook, tap, ms, outcome: 'passed' })

test('a layer is asked where it had its turn, and answers where it resolved the request', () => {
  const records = Array.from({ length: 100 }, (_, at) => ({
    trail: [row('auth', 9, 'receive'), row('cache', at + 1), ...(at < 40 ? [] : [row('cloud', 500)])],
    resolved_by: at < 40 ? 'cache' : 'cloud',
    error: at === 99 ? 'upstream' : null,
  }))
  assert.equal(layerTimes(records), [
    { name: 'cache', asked: 100, answered: 40, failed: 0, p50_ms: 50, p99_ms: 99 },
    { name: 'cloud', asked: 60, answered: 59, failed: 1, p50_ms: 500, p99_ms: 500 },
  ])
  assert.equal(layerTimes([]), [])
})

test.run()
