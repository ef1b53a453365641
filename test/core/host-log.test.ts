import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { HostLog, Log } from '../../core/host.ts'
import { hostLog, instanceLog } from '../../core/host-log.ts'
import { ManualClock } from '../contracts/clock.ts'

interface Under {
  readonly log: HostLog
  readonly clock: ManualClock
  readonly lines: string[]
}

function logged(): Under {
  const lines: string[] = []
  const line =
    (level: string): Log['info'] =>
    (message, fields) =>
      void lines.push(fields ? `${level} ${message} ${JSON.stringify(fields)}` : `${level} ${message}`)
  const clock = new ManualClock()
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  return { log: hostLog(log, clock), clock, lines }
}

test('passes lines of every level on, each time', () => {
  const { log, lines } = logged()
  for (const level of ['debug', 'info', 'warn', 'error', 'warn'] as const) log[level]('a line', { at: 1 })
  assert.equal(lines, [
    'debug a line {"at":1}',
    'info a line {"at":1}',
    'warn a line {"at":1}',
    'error a line {"at":1}',
    'warn a line {"at":1}',
  ])
})

test('a degradation is a warning once a minute for each key', async () => {
  const { log, clock, lines } = logged()
  log.degraded('store', 'the store is away', { try: 1 })
  log.degraded('store', 'the store is away', { try: 2 })
  log.degraded('model', 'the model is away')
  await clock.advance(59_999)
  log.degraded('store', 'the store is away', { try: 3 })
  assert.equal(lines, ['warn the store is away {"try":1}', 'warn the model is away'])
  await clock.advance(1)
  log.degraded('store', 'the store is away', { try: 4 })
  assert.is(lines.at(-1), 'warn the store is away {"try":4}')
})

test('a recovery is said once, only after a degradation, and the next degradation is said at once', () => {
  const { log, lines } = logged()
  log.recovered('store', 'the store is back')
  assert.equal(lines, [])
  log.degraded('store', 'the store is away')
  log.recovered('model', 'the model is back')
  log.recovered('store', 'the store is back', { after: 1 })
  log.recovered('store', 'the store is back', { after: 2 })
  log.degraded('store', 'the store is away')
  assert.equal(lines, ['warn the store is away', 'info the store is back {"after":1}', 'warn the store is away'])
})

test('a clock that was set back silences nothing', () => {
  const { log, clock, lines } = logged()
  log.degraded('store', 'the store is away')
  clock.set(-3_600_000)
  log.degraded('store', 'the store is away')
  log.degraded('store', 'the store is away')
  assert.is(lines.length, 2)
})

test('keys without end do not fill the memory, and each is still said', () => {
  const { log, lines } = logged()
  for (let i = 0; i < 2500; i++) log.degraded(`key ${i}`, `away ${i}`)
  assert.is(lines.length, 2500)
  log.degraded('key 2499', 'away 2499')
  assert.is(lines.length, 2500, 'the last ones are remembered')
  log.degraded('key 0', 'away 0')
  assert.is(lines.length, 2501, 'the first ones are forgotten')
})

test('instances with the same key do not silence each other, and share nothing else', () => {
  const { log, lines } = logged()
  const one = instanceLog(log, 'one')
  const two = instanceLog(log, 'two')
  one.degraded('store', 'one is away')
  two.degraded('store', 'two is away')
  one.degraded('store', 'one is away')
  two.recovered('store', 'two is back')
  two.recovered('store', 'two is back')
  one.recovered('store', 'one is back')
  one.warn('a line')
  assert.equal(lines, ['warn one is away', 'warn two is away', 'info two is back', 'info one is back', 'warn a line'])
})

test.run()
