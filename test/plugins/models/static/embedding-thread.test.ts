import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { Cancellation } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { EmbeddingThread, NoThread } from '../../../../plugins/models/static/embedding-thread.ts'
import { StaticModel } from '../../../../plugins/models/static/static-model.ts'
import { opened } from '../../../support/opened.ts'
import { staticFolder } from '../../../support/static-folder.ts'

const folder = staticFolder(['one', 'two', 'three'])

const LONG = 'three '.repeat(11_000)

const failureOf = (embedding: Promise<unknown>): Promise<unknown> =>
  embedding.then(
    () => undefined,
    error => error,
  )

function thread(of = folder): EmbeddingThread {
  const made = new EmbeddingThread(of)
  opened(() => made.close())
  return made
}

test('gives the very vectors of the model, for several calls at once', async () => {
  const [model, made] = [StaticModel.open(folder), thread()]
  const [a, b] = await Promise.all([made.embed(['one two', 'three']), made.embed(['two'])])
  assert.equal(
    [...a, ...b],
    ['one two', 'three', 'two'].map(text => model.embed(text)),
  )
})

test('an event loop turns while a long text is embedded', async () => {
  const made = thread()
  await made.embed(['one'])
  let done = false
  const embedding = made.embed(Array.from({ length: 500 }, () => 'three '.repeat(512))).then(() => {
    done = true
  })
  await new Promise(resolve => setImmediate(resolve))
  assert.not.ok(done)
  await embedding
})

test('a thread that never gave a vector is not started again', async () => {
  const away = thread(join(folder, 'away'))
  const failures: unknown[] = []
  for (const text of ['one', 'two']) await away.embed([text]).catch(error => failures.push(error))
  assert.match(String(failures[0]), /there is no folder/)
  assert.instance(failures[0], NoThread)
  assert.is(failures[1], failures[0])
})

test('a thread that ended after its vectors is replaced with the next text', async () => {
  const workers: Worker[] = []
  const remember = (worker: Worker): void => void workers.push(worker)
  process.on('worker', remember)
  const made = thread()
  const [before] = await made.embed(['one'])
  const ended = workers[0]?.terminate()
  const lost = await failureOf(made.embed(['two']))
  await ended
  assert.match(String(lost), /the embedding thread has ended/)
  assert.not.instance(lost, NoThread)
  assert.equal(await made.embed(['one']), [before])
  process.off('worker', remember)
})

test('a closed thread takes no text', async () => {
  const made = thread()
  const waiting = failureOf(made.embed(['one']))
  await made.close()
  assert.match(String(await waiting), /was closed/)
  assert.match(String(await failureOf(made.embed(['one']))), /was closed/)
})

test('cancelled texts that wait are rejected, and later ones are embedded', async () => {
  const made = thread()
  await made.embed(['one'])
  const cancellation = new Cancellation()
  const calls = Array.from({ length: 200 }, () => made.embed([LONG], cancellation).catch(() => 'cancelled'))
  cancellation.cancel(new Error('the client has left'))
  assert.equal(new Set(await Promise.all(calls)), new Set(['cancelled']))
  const [after] = await made.embed(['two'])
  assert.is(after?.length, 384)
})

test('what waits has a limit', async () => {
  const made = thread()
  const calls = Array.from({ length: 300 }, () => made.embed([LONG]).then(() => 'made', String))
  const outcomes = await Promise.all(calls)
  assert.match(outcomes.at(-1) ?? '', /too many texts wait/)
  assert.is(outcomes[0], 'made')
  assert.is((await made.embed(['one'])).length, 1)
})

test.run()
