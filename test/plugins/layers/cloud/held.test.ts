import { type Frame, liveAnswer, ProviderError } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { held } from '../../../../plugins/layers/cloud/held.ts'
import { read } from './double.ts'

async function* framesOf(count: number, error?: Error): AsyncGenerator<Frame> {
  for (let at = 0; at < count; at++)
    yield { events: [{ type: 'text', text: `${at} ` }], wire: `data: ${at}${' '.repeat(2000)}\n\n` }
  if (error) throw error
  yield { events: [{ type: 'stop', stop: { reason: 'stop' } }, { type: 'end' }], wire: 'data: end\n\n' }
}

for (const count of [3, 1000]) {
  test(`a stream of ${count} frames that was held back can be read from its beginning`, async () => {
    const answer = await held(
      liveAnswer({ format: 'plain', source: framesOf(count), headers: { 'x-request-id': 'r' } }),
    )
    assert.is(await read(answer), Array.from({ length: count }, (_, at) => `${at} `).join(''))
    assert.is(answer.facts.headers?.['x-request-id'], 'r')
  })
}

test('what breaks a held stream is thrown as its vendor’s failure', async () => {
  const error = new ProviderError('overloaded', 'too much')
  const thrown = await held(liveAnswer({ format: 'plain', source: framesOf(3, error) })).catch(error => error)
  assert.is(thrown, error)
})

test.run()
