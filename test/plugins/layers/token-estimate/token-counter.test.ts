import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { TokenCounter } from '../../../../plugins/layers/token-estimate/token-counter.ts'

const counter = new TokenCounter()
test.after(() => counter.rest())

test('counts the tokens of a vocabulary, several requests at a time', async () => {
  const [hello, two, none, special] = await Promise.all([
    counter.count(['hello world']),
    counter.count(['hello', 'world']),
    counter.count([]),
    counter.count(['<|endoftext|>']),
  ])
  assert.is(hello, 2)
  assert.is(two, 3)
  assert.is(none, 0)
  assert.ok(special > 1, 'text that looks like a special token is text')
})

test('counts what a tokenizer takes for ever over: long runs, gaps, other scripts', async () => {
  assert.ok((await counter.count(['a'.repeat(1 << 20)])) > 50_000)
  assert.ok((await counter.count([' '.repeat(1 << 20)])) > 1000)
  assert.ok((await counter.count(['今天天气很好，我们去公园散步吧。'.repeat(20_000)])) > 100_000)
})

test('a process that was stopped is begun again, and who waited is told', async () => {
  const waiting = counter.count(['x'.repeat(1 << 20)]).then(
    () => 'counted',
    error => String(error),
  )
  await new Promise(resolve => setImmediate(resolve))
  counter.rest()
  assert.match(await waiting, 'stopped')
  assert.is(counter.busy, false)
  assert.is(await counter.count(['hello world']), 2)
})

test.run()
