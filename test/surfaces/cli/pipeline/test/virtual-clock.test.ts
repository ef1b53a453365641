import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { VirtualClock } from '../../../../../surfaces/cli/pipeline/test/virtual-clock.ts'
import { opened, tempFolder } from '../../../../support/opened.ts'

const clock = () => new VirtualClock(1_000, () => 'id')

test('it stands still until it is moved', () => {
  const held = clock()
  assert.is(held.now(), 1_000)
  held.advance(500)
  assert.is(held.now(), 1_500)
})

test('another process may take as long as it likes', () => {
  assert.is(clock().patience(), Number.POSITIVE_INFINITY)
})

test('a move wakes those whose time has come, in order', async () => {
  const held = clock()
  const woken: string[] = []
  const late = held.sleep(300).then(() => woken.push('late'))
  const early = held.sleep(100).then(() => woken.push('early'))
  const never = held.sleep(10_000).then(() => woken.push('never'))
  held.advance(300)
  await Promise.all([late, early])
  assert.equal(woken, ['early', 'late'])
  held.advance(10_000)
  await never
})

test('a sleep that is over at once does not wait', async () => {
  await clock().sleep(0)
  await clock().sleep(-5)
})

test('a sleep ends with the reason of its signal', async () => {
  const held = clock()
  const stop = new AbortController()
  const sleeping = held.sleep(100, stop.signal)
  stop.abort(new Error('left'))
  await sleeping.then(
    () => assert.unreachable(),
    error => assert.is(error.message, 'left'),
  )
  await held.sleep(100, stop.signal).then(
    () => assert.unreachable(),
    error => assert.is(error.message, 'left'),
  )
})

test('two minutes pass in no time while somebody waits for them', async () => {
  const held = clock()
  const done = await held.during(held.sleep(120_000).then(() => 'done'))
  assert.is(done, 'done')
  assert.is(held.now(), 121_000)
})

test('it does not jump while something goes on', async () => {
  const held = clock()
  void held.sleep(1_000)
  // More ticks of the clock's own pace than it needs to take the silence for an end.
  let ticks = 0
  const ticking = setInterval(() => ticks++, 4)
  const busy = (async () => {
    while (ticks < 30) {
      held.stir()
      await nextTurn()
    }
  })()
  await held.during(busy)
  clearInterval(ticking)
  assert.is(held.now(), 1_000)
  held.advance(1_000)
})

test('stands still while a file is read, however many turns of the event loop that takes', async () => {
  const pipe = join(tempFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const held = clock()
  let woken = false
  const stop = held.after(5000, () => {
    woken = true
  })
  // Another process writes only after many turns.
  spawn('sh', ['-c', 'sleep 0.3; printf "written at last" > "$0"', pipe])
  assert.is(await held.during(readFile(pipe, 'utf8')), 'written at last')
  assert.equal([held.now(), woken], [1_000, false])
  stop()
})

test('stands still while a thread has work, and moves while it has none', async () => {
  const sleep = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)'
  const program = `require('worker_threads').parentPort.on('message', port => port.postMessage(${sleep}))`
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(program, { eval: true })
  const held = clock()
  const end = opened(async () => {
    port1.close()
    await worker.terminate()
  })
  const answered = once(port1, 'message')
  worker.postMessage(port2, [port2])
  let woken = false
  const stop = held.after(5000, () => {
    woken = true
  })
  await held.during(answered)
  assert.equal([held.now(), woken], [1_000, false])
  stop()
  port1.unref()
  worker.unref()
  await held.during(new Promise<void>(resolve => held.after(2000, resolve)))
  assert.is(held.now(), 3_000)
  await end()
})

test.run()
