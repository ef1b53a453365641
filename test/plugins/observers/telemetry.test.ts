import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../core/clock.ts'
import { hostLog } from '../../../core/host-log.ts'
import { traces } from '../../../core/traces.ts'
import telemetry from '../../../plugins/observers/telemetry/index.ts'
import { Telemetry } from '../../../plugins/observers/telemetry/telemetry.ts'
import { testHost } from '../../contracts/host.ts'
import { waiting } from '../../contracts/waiting.ts'
import { type Collector, startCollector } from '../../support/collector.ts'

const open: Collector[] = []
const collecting = async (how = {}): Promise<Collector> => {
  const collector = await startCollector(how)
  open.push(collector)
  return collector
}
test.after.each(() => {
  for (const one of open.splice(0)) one.close()
})

const log = { debug() {}, info() {}, warn() {}, error() {} }
const call = {
  id: 'r1',
  method: 'POST',
  path: '/api/chat',
  params: {},
  query: new URLSearchParams(),
  headers: {},
  remote: '::ffff:10.0.0.7',
  status: 200,
  ...waiting(),
  headWaitMs: 0,
  body: async () => Buffer.alloc(0),
  send() {},
  open: () => ({ write() {}, end() {} }),
}

test('refuses an endpoint that is no URL', () => {
  assert.ok(telemetry.options.safeParse({ endpoint: 'https://collector:4317' }).success)
  for (const endpoint of ['collector:4317', 'ftp://collector', ''])
    assert.not.ok(telemetry.options.safeParse({ endpoint }).success, endpoint)
})

test('bears being disposed without a start, and watches nothing before it serves', async () => {
  const host = testHost('observer')
  host.apply(telemetry, { enabled: true, endpoint: 'http://127.0.0.1:1' })
  await host.dispose()
  assert.equal(host.kept.ids, [])
  const started = testHost('observer')
  started.apply(telemetry, { enabled: true, endpoint: 'http://127.0.0.1:1' })
  await started.start()
  assert.is(traces.calls.hasSubscribers, false)
  started.ready()
  assert.is(traces.calls.hasSubscribers, true)
  await started.dispose()
  assert.is(traces.calls.hasSubscribers, false)
})

test('of two generations the one that serves begins the traces, and the other ends its own', async () => {
  const collector = await collecting()
  const old = testHost('observer')
  old.apply(telemetry, { enabled: true, endpoint: collector.url })
  await old.start()
  old.ready()
  let end = (): void => {}
  const running = traces.calls.tracePromise(() => new Promise<void>(resolve => (end = resolve)), {
    gateway: 'this-gateway',
    route: '/before',
    call,
    memos: {},
  })
  const next = testHost('observer', { kept: old.kept, clock: old.clock })
  next.apply(telemetry, { enabled: false, endpoint: collector.url })
  await next.start()
  next.ready()
  await traces.calls.tracePromise(async () => {}, {
    gateway: 'this-gateway',
    route: '/after',
    call: { ...call, id: 'r2' },
    memos: {},
  })
  end()
  await running
  await old.dispose()
  await next.dispose()
  assert.equal(
    collector.spans.map(({ attributes }) => [attributes['http.route'], attributes['client.address']]),
    [['/before', '10.0.0.7']],
  )
})

test('a collector that takes the last spans and never answers is waited for as long as the clock says', async () => {
  const collector = await collecting({ hangs: true })
  const limits: { readonly ms: number; readonly run: () => void }[] = []
  const clock = {
    ...systemClock,
    after(ms: number, run: () => void) {
      limits.push({ ms, run })
      return () => {}
    },
  }
  const warned: string[] = []
  const warning = hostLog({ ...log, warn: message => void warned.push(message) }, clock)
  const one = new Telemetry({ endpoint: collector.url, gateway: 'g', log: warning, clock, isCurrent: () => true })
  one.watch({ traceNames: new Map(), servers: new Map(), snapshots: () => [] })
  await traces.calls.tracePromise(async () => {}, { gateway: 'g', route: '/', call, memos: {} })
  let closed = false
  const closing = one.close().then(() => {
    closed = true
  })
  await collector.arrived(() => true)
  assert.is(closed, false)
  assert.is(limits.length, 1)
  limits[0]?.run()
  await closing
  assert.equal(warned, [], 'the export was not waited for, which fails at its own limit')
})

test.run()
