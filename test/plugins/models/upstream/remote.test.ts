import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Cancellation, type Embedder, type Plugin } from 'deflector'
import { health } from 'deflector/facets/health'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import sidecar from '../../../../plugins/models/sidecar.ts'
import tei from '../../../../plugins/models/tei.ts'
import { type TestHost, testHost } from '../../../contracts/host.ts'
import { until } from '../../../support/until.ts'

type Body = {
  readonly inputs?: string[]
  readonly input?: string[]
  readonly truncate?: boolean
  readonly model?: string
}
/** `text` is sent as it is; `nothing` is a server that accepts and never answers. */
type Answer = { readonly status?: number; readonly json?: unknown; readonly text?: string } | 'nothing'
type Answering = (body: Body, path: string) => Answer

interface Under {
  readonly model: Embedder
  readonly host: TestHost<'model'>
  /** Bodies of the calls that came to the server, the one at the start included. */
  readonly calls: readonly Body[]
  readonly paths: readonly string[]
  readonly authorization: readonly (string | undefined)[]
  /** From now on the server answers so. */
  answer(answering: Answering): void
}

/** One-hot by the text's length: each text has a vector of its own. */
const vectorOf = (text: string, dimensions = 384): number[] =>
  Array.from({ length: dimensions }, (_, i) => (i === text.length % dimensions ? 2 : 0))

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : {}
}

/** Runs with a server and the plugin started on it. */
async function withServer(
  plugin: Plugin,
  options: object,
  first: Answering,
  run: (under: Under) => Promise<void>,
): Promise<void> {
  let answering = first
  const [calls, paths, authorization]: [Body[], string[], (string | undefined)[]] = [[], [], []]
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    if (request.method === 'POST') calls.push(body)
    paths.push(request.url ?? '')
    authorization.push(request.headers.authorization)
    const given = answering(body, request.url ?? '')
    if (given === 'nothing') return
    response
      .writeHead(given.status ?? 200, { 'content-type': 'application/json' })
      .end(given.text ?? JSON.stringify(given.json ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host = testHost('model')
  const answer = (next: Answering): void => {
    answering = next
  }
  try {
    const model = host.apply(plugin, { url: `http://127.0.0.1:${port}`, ...at(port, options) }) as Embedder
    await host.start()
    await run({ model, host, calls, paths, authorization, answer })
  } finally {
    await host.dispose()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

/** A test's URL does not know the port yet. */
const at = (port: number, options: object): object =>
  'url' in options && typeof options.url === 'string'
    ? { ...options, url: options.url.replace('PORT', `${port}`) }
    : options

const nothing: Answering = () => 'nothing'

const teiAnswer = (body: Body): Answer => ({ json: (body.inputs ?? []).map(text => vectorOf(text)) })

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('it did not fail')
}

test('tei asks for cut texts, and gives unit vectors in order', () =>
  withServer(
    tei,
    {},
    (body, path) => (path === '/embed' ? teiAnswer(body) : { status: 404 }),
    async ({ model, calls }) => {
      const [one, three] = await model.embed(['a', 'abc'])
      assert.is(one?.[1], 1)
      assert.is(three?.[3], 1)
      assert.ok(calls.every(call => call.truncate === true))
    },
  ))

test('splits many texts into calls that a server takes, and keeps their order', () =>
  withServer(tei, {}, teiAnswer, async ({ model, calls }) => {
    const vectors = await model.embed(Array.from({ length: 100 }, (_, i) => 'x'.repeat(i)))
    assert.is(vectors.length, 100)
    for (const [i, vector] of vectors.entries()) assert.is(vector[i], 1)
    assert.ok(calls.every(call => (call.inputs?.length ?? 0) <= 32))
  }))

test('the sidecar names its model, and sorts what comes in another order', () => {
  const answer: Answering = (body, path) => {
    const data = (body.input ?? []).map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
    return path === '/v1/embeddings' ? { json: { object: 'list', data: data.reverse() } } : { status: 404 }
  }
  return withServer(sidecar, { model: 'all-minilm' }, answer, async ({ model, calls }) => {
    const [one, two] = await model.embed(['a', 'ab'])
    assert.is(one?.[1], 1)
    assert.is(two?.[2], 1)
    assert.is(calls.at(-1)?.model, 'all-minilm')
  })
})

test('does not start on a server that refuses, has other dimensions or is not there, and says what to do', async () => {
  const never = async (): Promise<void> => {}
  const remedy = /Check semantic_cache\.remote_url.*"candle".*or cache_mode to "exact"/
  const refused = await failure(withServer(tei, {}, () => ({ status: 503 }), never))
  assert.match(refused, /answered 503/)
  assert.match(refused, remedy)
  const narrow = (body: Body): Answer => ({ json: body.inputs?.map(text => vectorOf(text, 256)) })
  assert.match(await failure(withServer(tei, {}, narrow, never)), /256 dimensions, not 384/)
  assert.match(await failure(withServer(tei, {}, () => ({ json: [] }), never)), /0 vectors for 1 texts/)
  assert.match(await failure(withServer(tei, { url: 'http://127.0.0.1:9' }, teiAnswer, never)), /cannot be used/)
})

/** What answers that a server might give make of a call. */
async function refusals(plugin: Plugin, options: object, good: Answering, odd: readonly Answer[]): Promise<string[]> {
  const heard: string[] = []
  for (const one of odd)
    await withServer(plugin, options, good, async ({ model, answer }) => {
      answer(() => one)
      heard.push(await failure(model.embed(['a', 'ab'])))
    })
  return heard
}

const [A, AB] = [vectorOf('a'), vectorOf('ab')]

test('takes nothing for a vector that is none', async () => {
  const odd = '["the answer", "to somebody"]'
  const heard = await refusals(tei, {}, teiAnswer, [
    { json: [A] },
    { json: [A, AB, A] },
    { json: [A, AB.slice(1)] },
    { json: [A, AB.with(0, null as never)] },
    { text: JSON.stringify([A, AB]).replace('2', 'NaN') },
    { text: JSON.stringify([A, AB]).replace('2', '1e999') },
    { json: [A, AB.map(() => 0)] },
    { json: { vectors: [A, AB] } },
    { text: odd },
    { text: '<html><body>busy: to somebody</body></html>' },
    { text: '' },
  ])
  assert.equal(heard, [
    'the embedding server gave 1 vectors for 2 texts',
    'the embedding server gave 3 vectors for 2 texts',
    "the embedding server's model has 383 dimensions, not 384",
    'the embedding server answered something that is not vectors',
    'the embedding server answered something that is not JSON',
    'the embedding server answered something that is not vectors',
    'the embedding server gave a vector without a length',
    'the embedding server answered something that is not vectors',
    'the embedding server answered something that is not vectors',
    'the embedding server answered something that is not JSON',
    'the embedding server answered something that is not JSON',
  ])
  assert.not.ok(
    heard.some(message => message.includes('somebody')),
    'no message holds what came back',
  )
})

const sidecarAnswer: Answering = body => ({
  json: { data: (body.input ?? []).map((text, index) => ({ index, embedding: vectorOf(text) })) },
})

test('takes no vector for that of another text', async () => {
  const rows = (...indices: readonly unknown[]): Answer => ({
    json: { data: indices.map(index => ({ index, embedding: A })) },
  })
  const odd = [rows(0, 0), rows(1, 2), rows(0, 1, 1), rows(undefined, 1), { json: [A, AB] }]
  for (const message of await refusals(sidecar, { model: 'm' }, sidecarAnswer, odd))
    assert.is(message, 'the embedding server answered something that is not vectors')
})

/** As the semantic cache does when a vector is late. */
const late = (): DOMException => new DOMException('no vector in time', 'TimeoutError')

test('a frozen server costs one call, then nothing, and is asked again when it answers a probe', () =>
  withServer(tei, {}, teiAnswer, async ({ model, host, calls, answer }) => {
    answer(nothing)
    const waiting = new Cancellation()
    const first = failure(model.embed(['a'], waiting))
    await until('it comes about', () => calls.length === 2)
    waiting.cancel(late())
    assert.is(await first, 'no vector in time')
    assert.is(host.offer(health)?.(), 'degraded')

    for (let i = 0; i < 3; i++) assert.is(await failure(model.embed(['a'])), 'the embedding server is out of reach')
    assert.is(calls.length, 2, 'nobody else is made to wait')

    await host.clock.advance(50)
    await until('it comes about', () => calls.length === 3)
    await host.clock.advance(9000)
    assert.is(calls.length, 3, 'one probe at a time')
    await host.clock.advance(1000)
    await until('it comes about', () => host.clock.sleeping === 1)
    answer(teiAnswer)
    await host.clock.advance(100)
    await until('it comes about', () => host.offer(health)?.() === 'active')
    assert.is((await model.embed(['a'])).length, 1)
    assert.equal(
      host.logged.map(({ level, message }) => `${level}: ${message}`),
      [
        'warn: the embedding server is out of reach; requests go on without it',
        'info: the embedding server answers again',
      ],
    )
  }))

test('gives up by itself at its time limit, whoever waits', () =>
  withServer(tei, { timeout_secs: 3 }, teiAnswer, async ({ model, host, calls, answer }) => {
    answer(nothing)
    const waiting = failure(model.embed(['a']))
    await until('it comes about', () => calls.length === 2)
    await host.clock.advance(3000)
    assert.is(await waiting, 'no answer within 3000 ms')
    assert.is(host.offer(health)?.(), 'degraded')
  }))

test('a client that leaves, or a text that is turned down, says nothing of the server', () =>
  withServer(tei, {}, teiAnswer, async ({ model, host, calls, answer }) => {
    answer(nothing)
    const leaving = new Cancellation()
    const waiting = failure(model.embed(['a'], leaving))
    await until('it comes about', () => calls.length === 2)
    leaving.cancel(new Error('gone'))
    assert.is(await waiting, 'gone')
    assert.is(await failure(model.embed(['a'], leaving)), 'gone')
    assert.is(calls.length, 2, 'nothing is sent for who has left')
    answer(() => ({ status: 413 }))
    assert.is(await failure(model.embed(['a'])), 'the embedding server answered 413')
    answer(teiAnswer)
    assert.is((await model.embed(['a'])).length, 1)
    assert.equal(host.logged, [])
  }))

test('another model that took the place of the first one is not asked', () =>
  withServer(tei, {}, teiAnswer, async ({ model, host, calls, answer }) => {
    answer(() => ({ status: 503 }))
    await failure(model.embed(['a']))
    answer(body => ({ json: body.inputs?.map(() => vectorOf('another')) }))
    await host.clock.advance(50)
    await until('it comes about', () => calls.length === 3 && host.clock.sleeping === 1)
    assert.is(await failure(model.embed(['a'])), 'the embedding server is out of reach')
    answer(teiAnswer)
    await host.clock.advance(100)
    await until('it comes about', () => host.offer(health)?.() === 'active')
  }))

test('probes end with the generation', () =>
  withServer(tei, {}, teiAnswer, async ({ model, host, answer }) => {
    answer(() => ({ status: 503 }))
    await failure(model.embed(['a']))
    assert.is(host.clock.sleeping, 1)
    await host.dispose()
    assert.is(host.clock.sleeping, 0)
  }))

/** The fingerprint that a plugin takes from a server, whatever its address is. */
async function fingerprint(plugin: Plugin, options: object, answering: Answering): Promise<string> {
  let taken = ''
  await withServer(plugin, options, answering, async ({ model }) => {
    taken = model.fingerprint ?? ''
  })
  assert.match(taken, /^[0-9a-f]{16}$/)
  return taken
}

const wave = (by: number): number[] => Array.from({ length: 384 }, (_, i) => Math.sin(i * i * by))
/** A server whose every vector is this one, and what it says of itself. */
const always =
  (vector: readonly number[], info?: object): Answering =>
  (body, path) => {
    if (path === '/info') return info ? { json: info } : { status: 404 }
    if (body.inputs) return { json: body.inputs.map(() => vector) }
    return { json: { data: (body.input ?? []).map((_, index) => ({ index, embedding: vector })) } }
  }

test('the fingerprint is the weights, as the server names them', async () => {
  const info = { model_id: 'acme/mini', model_sha: 'abc', model_type: { embedding: { pooling: 'mean' } }, version: '1' }
  const one = await fingerprint(tei, {}, always(A, info))
  assert.is(await fingerprint(tei, {}, always(A, { ...info, version: '2', max_input_length: 512 })), one)
  for (const other of [
    { ...info, model_sha: 'abd' },
    { ...info, model_id: 'acme/midi' },
    { ...info, model_type: { embedding: { pooling: 'cls' } } },
  ])
    assert.is.not(await fingerprint(tei, {}, always(A, other)), one)
})

test('where the server does not name them, the fingerprint is what its vector shows', async () => {
  const one = await fingerprint(tei, {}, always(wave(1.1)))
  assert.is(await fingerprint(sidecar, { model: 'm' }, always(wave(1.1))), one, 'the same behind another address')
  const rounded = wave(1.1).map((x, i) => x + (i % 2 ? 1e-7 : -1e-7))
  assert.is(await fingerprint(tei, {}, always(rounded)), one, 'the same on hardware that rounds otherwise')
  assert.is.not(await fingerprint(tei, {}, always(wave(1.2))), one)
  assert.is.not(await fingerprint(tei, {}, always(wave(1.1).map(x => -x))), one)
  // A model from a folder has a name that says nothing.
  const folder = { model_id: '/data', model_sha: null, model_type: {} }
  assert.is(await fingerprint(tei, {}, always(wave(1.1), folder)), one)
})

test('credentials of the address are sent, and stand in no fingerprint', async () => {
  const url = 'http://user:p%40ss@127.0.0.1:PORT'
  await withServer(tei, { url }, always(A), async ({ model, authorization, paths }) => {
    await model.embed(['a'])
    assert.equal(paths, ['/embed', '/info', '/embed'])
    const basic = `Basic ${Buffer.from('user:p@ss').toString('base64')}`
    assert.equal(authorization, [basic, basic, basic])
    assert.is(model.fingerprint, await fingerprint(tei, {}, always(A)))
  })
})

test.run()
