import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Embedder, Plugin } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import sidecar from '../../../../plugins/models/sidecar.ts'
import tei from '../../../../plugins/models/tei.ts'
import { testHost } from '../../../contracts/host.ts'

type Body = {
  readonly inputs?: string[]
  readonly input?: string[]
  readonly truncate?: boolean
  readonly model?: string
}
type Answer = { readonly status?: number; readonly json?: unknown } | 'nothing'

/** One-hot by the text's length: each text has a vector of its own. */
const vectorOf = (text: string, dimensions = 384): number[] =>
  Array.from({ length: dimensions }, (_, i) => (i === text.length % dimensions ? 2 : 0))

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** Runs with a server and the plugin started on it. */
async function withServer(
  plugin: Plugin,
  options: object,
  answer: (body: Body, path: string) => Answer,
  run: (model: Embedder, calls: readonly Body[]) => Promise<void>,
): Promise<void> {
  const calls: Body[] = []
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    calls.push(body)
    const given = answer(body, request.url ?? '')
    if (given === 'nothing') return
    response
      .writeHead(given.status ?? 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(given.json ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host = testHost('model')
  try {
    const model = host.apply(plugin, { url: `http://127.0.0.1:${port}`, ...options }) as Embedder
    await host.start()
    await run(model, calls)
  } finally {
    await host.dispose()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

const teiAnswer = (body: Body): Answer => ({ json: (body.inputs ?? []).map(text => vectorOf(text)) })

/** What the fingerprint says of a server whose vectors are these. */
async function fingerprintOf(plugin: Plugin, vector: readonly number[], url: string): Promise<string | undefined> {
  let said: string | undefined
  const answer = (body: Body): Answer => ({
    json: body.inputs
      ? body.inputs.map(() => vector)
      : { data: (body.input ?? []).map((_, index) => ({ index, embedding: vector })) },
  })
  await withServer(plugin, plugin === sidecar ? { model: 'm' } : {}, answer, async model => {
    // Each test server has a port of its own, and replicas may have theirs at one address.
    said = model.fingerprint?.replace(/127\.0\.0\.1:\d+/, url)
  })
  return said
}

test('the fingerprint tells models apart that are served at the same address', async () => {
  const wave = (by: number): number[] => Array.from({ length: 384 }, (_, i) => Math.sin(i * by))
  for (const plugin of [tei, sidecar]) {
    const one = await fingerprintOf(plugin, wave(1.1), 'here')
    assert.is(await fingerprintOf(plugin, wave(1.1), 'here'), one)
    const rounded = wave(1.1).map(x => x + 1e-9 * Math.sign(x))
    assert.is(await fingerprintOf(plugin, rounded, 'here'), one)
    assert.is.not(await fingerprintOf(plugin, wave(1.2), 'here'), one)
    const opposite = wave(1.1).map(x => -x)
    assert.is.not(await fingerprintOf(plugin, opposite, 'here'), one)
  }
})

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
    async (model, calls) => {
      const [one, three] = await model.embed(['a', 'abc'])
      assert.is(one?.[1], 1)
      assert.is(three?.[3], 1)
      assert.ok(calls.every(call => call.truncate === true))
    },
  ))

test('splits many texts into calls that a server takes, and keeps their order', () =>
  withServer(tei, {}, teiAnswer, async (model, calls) => {
    const vectors = await model.embed(Array.from({ length: 100 }, (_, i) => 'x'.repeat(i)))
    assert.is(vectors.length, 100)
    for (const [i, vector] of vectors.entries()) assert.is(vector[i], 1)
    assert.ok(calls.every(call => (call.inputs?.length ?? 0) <= 32))
  }))

test('the sidecar names its model, and sorts what comes in another order', () => {
  const answer = (body: Body, path: string): Answer => {
    const data = (body.input ?? []).map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
    return path === '/v1/embeddings' ? { json: { object: 'list', data: data.reverse() } } : { status: 404 }
  }
  return withServer(sidecar, { model: 'all-minilm' }, answer, async (model, calls) => {
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

test('gives up at the time limit, and when the client leaves', () => {
  let started = false
  const once = (body: Body): Answer => {
    if (started) return 'nothing'
    started = true
    return teiAnswer(body)
  }
  return withServer(tei, { timeout_secs: 0.2 }, once, async model => {
    assert.match(await failure(model.embed(['a'])), /timeout|aborted/i)
    assert.match(await failure(model.embed(['a'], AbortSignal.abort(new Error('gone')))), /gone|aborted/)
  })
})

test.run()
