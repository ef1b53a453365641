import { copyFileSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'

const thirdParty = fileURLToPath(new URL('../fixtures/third-party', import.meta.url))

/** A pipeline file in a folder of its own outside the source tree, with the third-party provider beside it. */
function outside(flow: string, more = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'deflector-outside-'))
  cpSync(thirdParty, join(folder, 'parrot'), { recursive: true })
  const file = join(folder, 'pipeline.yaml')
  writeFileSync(
    file,
    `surfaces:
  http: { options: { host: 127.0.0.1, port: 0 } }
  native: { flow: chat }
  health:
flows:
  chat: ${flow}
layers:
  exact-cache: { options: { store: answers, mode: exact, ttl_secs: 600, stale_secs: 60 } }
  cloud: { options: { chain: [parrot] } }
providers:
  parrot: { use: ./parrot/squawk.ts, options: { times: 2 } }
stores:
  answers: { use: memory, options: { max_entries: 100, max_bytes: 100000 } }
${more}`,
  )
  return file
}

const words = (answer: { json: { message: string; layer: number } }): string =>
  `${answer.json.layer}: ${answer.json.message}`

test('a third-party provider by path answers, with a dependency of its own', async () => {
  const gateway = await startGateway({ pipeline: outside('[exact-cache, cloud]') })
  assert.is(words(await gateway.post('/api/chat', { prompt: 'polly' })), '3: polly polly')
  assert.is(words(await gateway.post('/api/chat', { prompt: 'polly' })), '1: polly polly')
  const failed = await gateway.post('/api/chat', { prompt: 'fail' })
  assert.is(failed.status, 502)
  await gateway.close()
})

test('a layer taken out of a flow takes exactly its behaviour along', async () => {
  const gateway = await startGateway({ pipeline: outside('[cloud]') })
  assert.is(words(await gateway.post('/api/chat', { prompt: 'polly' })), '3: polly polly')
  assert.is(words(await gateway.post('/api/chat', { prompt: 'polly' })), '3: polly polly')
  await gateway.close()
})

test('a flow whose layers have no answer is a 502 under the label of the last layer', async () => {
  const gateway = await startGateway({ pipeline: outside('[exact-cache]') })
  const reply = await gateway.post('/api/chat', { prompt: 'polly' })
  assert.is(reply.status, 502)
  assert.is(reply.headers.get('x-service-layer'), 'l3')
  assert.is(reply.headers.get('x-service-deflected'), 'false')
  await gateway.close()
})

test('a misspelt layer is refused with file, line and suggestion', async () => {
  const file = outside('[exact-cahce, cloud]')
  const refused = await startGateway({ pipeline: file }).then(
    () => '',
    error => String(error.message),
  )
  const line =
    readFileSync(file, 'utf8')
      .split('\n')
      .findIndex(text => text.includes('exact-cahce')) + 1
  assert.match(refused, `${file}:${line}:`)
  assert.match(refused, 'exact-cache')
})

test('a store that nobody declares is refused where it is asked for', async () => {
  const file = outside('[exact-cache, cloud]')
  writeFileSync(file, readFileSync(file, 'utf8').replace('store: answers', 'store: anwsers'))
  const refused = await startGateway({ pipeline: file }).then(
    () => '',
    error => String(error.message),
  )
  assert.match(refused, /unknown_store.*anwsers.*answers/)
})

test('a reload takes the edited plugin and the edited file, and the cache survives it', async () => {
  const file = outside('[exact-cache, cloud]')
  const gateway = await startGateway({ pipeline: file })
  await gateway.post('/api/chat', { prompt: 'before' })
  const plugin = join(file, '../parrot/squawk.ts')
  writeFileSync(plugin, readFileSync(plugin, 'utf8').replace('say(heard, times)', "say('edited', times)"))
  writeFileSync(file, readFileSync(file, 'utf8').replace('times: 2', 'times: 3'))
  const { ok, reasons } = await gateway.gateway.reload()
  assert.ok(ok, reasons.join('\n'))
  assert.is(words(await gateway.post('/api/chat', { prompt: 'after' })), '3: edited edited edited')
  assert.is(words(await gateway.post('/api/chat', { prompt: 'before' })), '1: before before')
  assert.is((await gateway.get('/health')).json.generation, 2)
  await gateway.close()
})

test('a file or plugin that does not build changes nothing and says why', async () => {
  const file = outside('[exact-cache, cloud]')
  const good = readFileSync(file, 'utf8')
  const gateway = await startGateway({ pipeline: file })
  const plugin = join(file, '../parrot/squawk.ts')
  const breakages: [() => void, RegExp][] = [
    [() => writeFileSync(file, good.replace('[exact-cache', '[exact-cahce')), /exact-cahce/],
    [() => writeFileSync(file, good.replace('times: 2', 'times: two')), /times/],
    [() => writeFileSync(file, good.replace('flows:', 'flows: [')), /bad_yaml/],
    [() => writeFileSync(plugin, 'export default {'), /squawk/],
  ]
  for (const [breakIt, why] of breakages) {
    breakIt()
    const { ok, reasons } = await gateway.gateway.reload()
    assert.is(ok, false)
    assert.match(reasons.join('\n'), why)
    assert.is(words(await gateway.post('/api/chat', { prompt: 'still' })).slice(3), 'still still')
    writeFileSync(file, good)
    copyFileSync(join(thirdParty, 'squawk.ts'), plugin)
  }
  assert.is((await gateway.get('/health')).json.generation, 1)
  await gateway.close()
})

test('reloads under load lose no request', async () => {
  const file = outside('[exact-cache, cloud]')
  const gateway = await startGateway({ pipeline: file })
  let asking = true
  let answered = 0
  const lane = async (lane: number): Promise<void> => {
    for (let i = 0; asking; i++) {
      const { status } = await gateway.post('/api/chat', { prompt: `load ${lane} ${i % 20}` })
      assert.is(status, 200)
      answered++
    }
  }
  const load = Promise.all(Array.from({ length: 8 }, (_, i) => lane(i)))
  for (let i = 0; i < 5; i++) assert.ok((await gateway.gateway.reload()).ok)
  asking = false
  await load
  assert.ok(answered > 50, `${answered} answered`)
  await gateway.close()
})

test.run()
