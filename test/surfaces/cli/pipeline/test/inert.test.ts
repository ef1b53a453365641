import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createLoader } from '../../../../../core/pipeline/loader.ts'
import { isolatedSettings } from '../../../../../surfaces/cli/pipeline/settings.ts'
import { type FileResult, runText } from '../../../../../surfaces/cli/pipeline/test/run.ts'
import { opened } from '../../../../support/opened.ts'

const isolated = isolatedSettings()
test.after(() => isolated.close())
const loader = createLoader()
const run = (text: string): Promise<FileResult> => runText('/p.yaml', text, { loader, settings: isolated.settings })

interface Live {
  readonly port: number
  readonly connections: () => number
}

/** Something of production that must not notice a trial: it takes connections, counts them and says nothing. */
async function live(): Promise<Live> {
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened(() => server.close())
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has an address')
  return { port: address.port, connections: () => connections }
}

const ASKED = 'What does the HTTP status code 404 mean?'
const ASKED_AGAIN = 'What is the meaning of the HTTP status code 404?'
const ask = (content: string): string =>
  `{ path: /v1/chat/completions, body: { model: m, messages: [{ role: user, content: '${content}' }] } }`

test('a trial of a production file connects to nothing that the file names, and its caches work', async () => {
  const { port, connections } = await live()
  const { problems, results } = await run(`
surfaces:
  http: { options: { host: 0.0.0.0, port: ${port} } }
  chat-completions: { flow: chat }
flows:
  chat: [exact-cache, semantic-cache, cloud]
layers:
  exact-cache: { options: { store: answers } }
  semantic-cache: { options: { model: server, judge: pair, store: vectors } }
  cloud: { options: { chain: [main, backup] } }
providers:
  main: { use: chat-completions, options: { url: 'http://127.0.0.1:${port}/v1', api_key: k } }
  backup: { use: messages, options: { url: 'http://127.0.0.1:${port}/v1', api_key: k } }
models:
  server: { use: tei, options: { url: 'http://127.0.0.1:${port}' } }
  pair:
stores:
  answers: { use: redis, options: { url: 'redis://127.0.0.1:${port}', key_prefix: '' } }
  vectors: { use: redis, options: { url: 'redis+sentinel://127.0.0.1:${port}/main' } }
observers:
  telemetry: { options: { enabled: true, endpoint: 'http://127.0.0.1:${port}' } }
tests:
  - name: asked three times
    steps:
      - { request: ${ask(ASKED)}, upstream: { main: { status: 500 }, backup: { text: not found } }, expect: { layer: l3, text: not found } }
      - { request: ${ask(ASKED)}, expect: { layer: l1a, calls: 0 } }
      - { request: ${ask(ASKED_AGAIN)}, expect: { layer: l1b, calls: 0, text: not found } }
`)
  assert.equal(problems, [])
  assert.equal(
    results.map(({ differences }) => differences),
    [[]],
  )
  assert.is(connections(), 0)
})

test('settings of a test that name a Redis, a model server and a collector lead nowhere either', async () => {
  const { port, connections } = await live()
  const shipped = await readFile(new URL('../../../../../pipelines/default.yaml', import.meta.url), 'utf8')
  const { problems, results } = await run(`${shipped}
tests:
  - name: asked three times
    settings:
      external_llm_api_key: k
      exact_cache.provider: redis
      exact_cache.redis_url: 'redis://127.0.0.1:${port}'
      semantic_cache.store: redis
      semantic_cache.provider: tei
      semantic_cache.remote_url: 'http://127.0.0.1:${port}'
      enable_monitoring: true
      otel_exporter_endpoint: 'http://127.0.0.1:${port}'
    steps:
      - { request: ${ask(ASKED)}, expect: { layer: l3 } }
      - { request: ${ask(ASKED)}, expect: { layer: l1a, calls: 0 } }
      - { request: ${ask(ASKED_AGAIN)}, expect: { layer: l1b, calls: 0 } }
`)
  assert.equal(problems, [])
  assert.equal(
    results.map(({ differences }) => differences),
    [[]],
  )
  assert.is(connections(), 0)
})

test('memory in the place of a store keeps the bounds that both have', async () => {
  const { results } = await run(`
surfaces: { http: { options: { port: 8080 } }, chat-completions: { flow: chat } }
flows: { chat: [exact-cache, cloud] }
layers: { exact-cache: { options: { store: small } }, cloud: { options: { chain: [main] } } }
providers: { main: { use: chat-completions, options: { url: 'https://main.example/v1', api_key: k } } }
stores: { small: { use: memory, options: { max_entries: 1 } } }
tests:
  - name: the second answer takes the place of the first
    steps:
      - { request: ${ask('one')}, expect: { layer: l3 } }
      - { request: ${ask('two')}, expect: { layer: l3 } }
      - { request: ${ask('two')}, expect: { layer: l1a } }
      - { request: ${ask('one')}, expect: { layer: l3 } }
  - name: a store that is not there cannot be unreachable
    unreachable: [smal]
    request: ${ask('one')}
`)
  assert.equal(
    results.map(({ differences }) => differences),
    [[], ['unreachable: there is no store "smal"']],
  )
})

test.run()
