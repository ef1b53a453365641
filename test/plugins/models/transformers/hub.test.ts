import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from 'deflector'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import transformers from '../../../../plugins/models/transformers/index.ts'
import { type TestHost, testHost } from '../../../contracts/host.ts'
import { staticFolder } from '../../../support/static-folder.ts'

const WEIGHTS = 'onnx/model_quantized.onnx'

/** A hub of our own: `acme/mini` is whole, and each of the others has a fault in its weights. */
function hub(folder: string): Server {
  return createServer((request, response) => {
    const [, model = '', file = ''] = /^\/acme\/(\w+)\/resolve\/main\/(.+)$/.exec(request.url ?? '') ?? []
    const path = join(folder, file)
    if (!existsSync(path) || (model === 'gone' && file === WEIGHTS)) return void response.writeHead(404).end()
    const bytes = model === 'broken' && file === WEIGHTS ? Buffer.from('<html></html>') : readFileSync(path)
    response.writeHead(200, { 'content-length': bytes.length })
    if (model !== 'cut' || file !== WEIGHTS) return void response.end(bytes)
    response.write(bytes.subarray(0, 100), () => response.destroy())
  })
}

interface Context {
  readonly server: Server
  readonly folder: string
}

/** The library asks no setting where the hub is, so every child is told before it begins. */
function divert(to: string): () => void {
  const code = `import { env } from '${import.meta.resolve('@xenova/transformers')}'; env.remoteHost = '${to}'`
  process.execArgv.push('--import', `data:text/javascript,${encodeURIComponent(code)}`)
  return () => void process.execArgv.splice(-2)
}

async function started(model: string, cache: string): Promise<{ host: TestHost<'model'>; model: Embedder }> {
  const host = testHost('model')
  const under = host.apply(transformers, { model, cache_dir: cache }) as Embedder
  await host.start()
  return { host, model: under }
}

async function refusal(model: string, cache = mkdtempSync(join(tmpdir(), 'deflector-cache-'))): Promise<string> {
  try {
    await started(model, cache)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('it started')
}

const test = suite<Context>('the hub')

let undivert: () => void = () => {}
test.before(async context => {
  const folder = staticFolder(['one', 'two'])
  const server = hub(folder)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  undivert = divert(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  Object.assign(context, { server, folder })
})
test.after(({ server }) => {
  undivert()
  server.closeAllConnections()
  server.close()
})

test('downloads a model, says how far it is, and keeps it', async ({ server, folder }) => {
  const cache = mkdtempSync(join(tmpdir(), 'deflector-cache-'))
  const first = await started('acme/mini', cache)
  const whole = first.host.logged.filter(({ fields }) => fields.percent === 100)
  assert.equal(whole.map(({ fields }) => fields.file).sort(), [
    'config.json',
    WEIGHTS,
    'tokenizer.json',
    'tokenizer_config.json',
  ])
  assert.ok(whole.every(({ level, message }) => `${level} ${message}` === 'info downloading the embedding model'))
  await first.host.dispose()

  const asked: string[] = []
  server.prependListener('request', request => asked.push(request.url ?? ''))
  const [again, local] = await Promise.all([started('acme/mini', cache), started(folder, cache)])
  assert.equal(asked, [])
  assert.is(again.model.fingerprint, local.model.fingerprint, 'the same weights, wherever they came from')
  await Promise.all([again.host.dispose(), local.host.dispose()])
})

test('says why a model cannot be had from the hub, and what would help', async () => {
  const [gone, cut, broken, unknown] = await Promise.all(
    ['acme/gone', 'acme/cut', 'acme/broken', 'acme/mini/none'].map(name => refusal(name)),
  )
  assert.match(
    gone ?? '',
    /"acme\/gone" cannot be loaded: Could not locate file: "http.*onnx"\. Check that the name is/,
  )
  assert.match(cut ?? '', /terminated: other side closed\. Check that .* the hub can be reached/)
  assert.match(broken ?? '', /protobuf parsing failed\. Check that .* is writable and not corrupt/)
  assert.match(unknown ?? '', /there is no folder/)
})

test('says so when it cannot keep what it downloads', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'deflector-cache-'))
  writeFileSync(join(cache, 'acme'), 'a file where a folder should be')
  const said = await refusal('acme/mini', cache)
  assert.match(said, new RegExp(`cannot be loaded: .*${cache}/acme.*that ${cache} is writable`))
})

test('says what is behind a failed fetch', async () => {
  const home = divert('http://127.0.0.1:9/')
  try {
    assert.match(await refusal('acme/mini'), /fetch failed: .+\. Check that .* the hub can be reached/)
  } finally {
    home()
  }
})

test.run()
