import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { PipeWriter, pipeReader } from '../../../../../plugins/layers/semantic-cache/engine/pipe.ts'
import { until } from '../../../../support/until.ts'

interface Message {
  readonly id: number
  readonly text: string
}

/** What so many messages are on their way. */
async function written(count: number): Promise<string[]> {
  const chunks: string[] = []
  const writer = new PipeWriter<Message>({ destroyed: false, write: chunk => chunks.push(chunk) })
  for (let id = 0; id < count; id++) writer.send({ id, text: 'Wie kündige ich?\n怎么取消 🙂' })
  await nextTurn()
  return chunks
}

test('what is written in one turn goes out at once', async () => {
  assert.is((await written(1000)).length, 1)
})

test('what may wait goes out with the next that may not, in its order', async () => {
  const chunks: string[] = []
  const writer = new PipeWriter<Message>({ destroyed: false, write: chunk => chunks.push(chunk) })
  writer.sendLater({ id: 1, text: 'later' })
  await nextTurn()
  assert.is(chunks.length, 0)
  writer.send({ id: 2, text: 'now' })
  await nextTurn()
  assert.equal(
    chunks.map(chunk => chunk.match(/"id":\d/g)),
    [['"id":1', '"id":2']],
  )
  writer.sendLater({ id: 3, text: 'by itself' })
  await until('it is written', () => chunks.length === 2)
})

test('a message comes out as it went in, wherever the pipe cuts it', async () => {
  const bytes = Buffer.from((await written(3)).join(''))
  for (let size = 1; size < bytes.length; size += 7) {
    const found: Message[] = []
    const read = pipeReader<Message>(message => found.push(message))
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size))
    assert.equal(
      found,
      [0, 1, 2].map(id => ({ id, text: 'Wie kündige ich?\n怎么取消 🙂' })),
    )
  }
})

test('what is no message is refused', () => {
  assert.throws(() => pipeReader(() => {})(Buffer.from('ffff\n')))
  assert.throws(() => pipeReader(() => {})(Buffer.alloc(2 << 20, 'f')), /without an end/)
})

test.run()
