import { defineLayer, defineStore, GatewayError, textAnswer } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { Keep, ManualClock, plainPrompt, TestExchange, testHost } from './contracts/host.ts'

const nothing = z.strictObject({})

test('the clock stands until it is moved, and wakes each sleeper at its own time', async () => {
  const clock = new ManualClock(1000)
  const woken: [string, number][] = []
  const nap = async (name: string, ms: number): Promise<void> => {
    await clock.sleep(ms)
    woken.push([name, clock.now()])
    if (name === 'b') await nap('b again', 5)
  }
  const naps = [nap('c', 30), nap('a', 10), nap('b', 20), nap('late', 1000)]
  assert.is(clock.now(), 1000)
  await clock.advance(30)
  assert.equal(woken, [
    ['a', 1010],
    ['b', 1020],
    ['b again', 1025],
    ['c', 1030],
  ])
  assert.is(clock.sleeping, 1)
  await clock.advance(970)
  await Promise.all(naps)
  assert.is(clock.now(), 2000)
})

test('a sleep ends with its signal', async () => {
  const clock = new ManualClock()
  const leaving = new AbortController()
  const asleep = clock.sleep(1000, leaving.signal)
  leaving.abort(new Error('left'))
  await asleep.then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'left'),
  )
  assert.is(clock.sleeping, 0)
  await clock.sleep(1, AbortSignal.abort(new Error('gone'))).then(
    () => assert.unreachable(),
    () => {},
  )
})

test('ids are unique and of the usual make', () => {
  const clock = new ManualClock()
  const ids = [clock.id(), clock.id(), clock.id()]
  assert.is(new Set(ids).size, 3)
  for (const id of ids) assert.match(id, /^[a-z0-9]{24}$/)
})

test('the hooks run in order, and the first answer wins', async () => {
  const host = testHost('layer')
  const seen: string[] = []
  const layer = (name: string, answers: boolean) =>
    defineLayer({
      name,
      options: nothing,
      apply({ hooks }) {
        hooks.answer.tapPromise(name, async () => {
          seen.push(name)
          return answers ? textAnswer(name, { model: 'm' }) : undefined
        })
        hooks.recover.tapPromise(name, async (_, failure) => textAnswer(failure.code, { model: 'm' }))
      },
    })
  for (const [name, answers] of [
    ['first', false],
    ['second', true],
    ['third', true],
  ] as const)
    host.apply(layer(name, answers))
  const answer = await host.call.answer(new TestExchange())
  assert.is(answer?.kind, 'whole')
  assert.equal(seen, ['first', 'second'])
  assert.equal(host.tapped, ['answer', 'recover'])
  assert.ok(await host.call.recover(new TestExchange(), new GatewayError('rate_limited', 'later')))
})

test('a tap that gives null passes the request on', async () => {
  const host = testHost('layer')
  const bad = defineLayer({
    name: 'bad',
    options: nothing,
    apply: ({ hooks }) => hooks.answer.tapPromise('bad', async () => null as never),
  })
  host.apply(bad)
  assert.is(await host.call.answer(new TestExchange()), undefined)
})

test('options are checked, and a plugin of another role is refused', () => {
  const store = defineStore({
    name: 's',
    options: nothing,
    apply: () => ({ get: async () => undefined, set: async () => {}, delete: async () => false }),
  })
  assert.throws(() => testHost('store').apply(store, { unknown: 1 }))
  assert.throws(() => testHost('layer').apply(store), /is a store/)
  assert.ok(testHost('store').apply(store))
})

test('what is kept is made once, and disposed with its last holder', async () => {
  const kept = new Keep()
  let made = 0
  let disposed = 0
  const hosts = [testHost('store', { kept }), testHost('store', { kept })]
  for (const { host } of hosts) {
    host.keep(
      'thing',
      () => ++made,
      () => void disposed++,
    )
  }
  assert.is(made, 1)
  await hosts[0]?.dispose()
  assert.is(disposed, 0)
  await hosts[1]?.dispose()
  assert.is(disposed, 1)
  assert.equal(kept.ids, [])
})

test('starts in order and disposes in reverse', async () => {
  const seen: string[] = []
  const { host, ...life } = testHost('store')
  host.onStart(() => void seen.push('start 1'))
  host.onStart(() => void seen.push('start 2'))
  host.onReady(() => void seen.push('ready'))
  host.onDispose(() => void seen.push('dispose 1'))
  host.onDispose(() => void seen.push('dispose 2'))
  await life.start()
  life.ready()
  await life.dispose()
  assert.equal(seen, ['start 1', 'start 2', 'ready', 'dispose 2', 'dispose 1'])
})

test('asking for what the test did not give says so', () => {
  const { host } = testHost('layer')
  assert.throws(() => host.store('answers'), /no store called "answers"/)
})

test('what is logged can be looked at', () => {
  const { host, logged } = testHost('provider')
  host.log.warn('slow', { ms: 3 })
  assert.equal(logged, [{ level: 'warn', message: 'slow', fields: { ms: 3 } }])
})

test('an exchange starts as a fresh call, its model that of the prompt', async () => {
  const exchange = new TestExchange({ prompt: plainPrompt('hi', { model: 'm', session_id: 's' }) })
  assert.is(exchange.model, 'm')
  assert.is(exchange.session, undefined)
  assert.is((await exchange.read())?.session, 's')
  exchange.note('miss')
  assert.equal(exchange.notes, ['miss'])
  assert.throws(() => new TestExchange({ prompt: null }).prompt)
})

test.run()
