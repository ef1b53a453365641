import { setImmediate as nextTurn } from 'node:timers/promises'
import { Cancellation, defineLayer, type Embedder, type EmbedderHandle, type Judge, type Writer } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { TestExchange, testHost } from '../contracts/host.ts'

interface Counted extends Embedder {
  /** The texts of each call. */
  readonly calls: (readonly string[])[]
}

const vectorOf = (text: string): Float32Array => Float32Array.of(text.length, 1)

function embedder(embed: Embedder['embed'] = async texts => texts.map(vectorOf)): Counted {
  const calls: (readonly string[])[] = []
  return {
    dimensions: 2,
    fingerprint: 'weights-1',
    calls,
    embed(texts, cancellation) {
      calls.push(texts)
      return embed(texts, cancellation)
    },
  }
}

/** What a layer of its own is handed for the model. */
function handle(model: Embedder | Writer): EmbedderHandle | Judge | Writer {
  let handed: EmbedderHandle | Judge | Writer | undefined
  const layer = defineLayer({
    name: 'layer',
    options: z.strictObject({}),
    apply(host) {
      handed = host.model('model')
    },
  })
  testHost('layer', { models: { model } }).apply(layer)
  assert.ok(handed)
  return handed
}

function embedderHandle(model: Embedder): EmbedderHandle {
  const handed = handle(model)
  if (!('embedFor' in handed)) throw new Error('this is no embedder')
  return handed
}

test('embeds a text once per exchange, for two layers that ask at the same time or one after the other', async () => {
  const model = embedder()
  const [one, two] = [embedderHandle(model), embedderHandle(model)]
  const exchange = new TestExchange()
  const [first, second] = await Promise.all([one.embedFor(exchange, 'a text'), two.embedFor(exchange, 'a text')])
  assert.is(first, second)
  assert.is(await two.embedFor(exchange, 'a text'), first)
  assert.equal(model.calls, [['a text']])
  assert.equal(first, vectorOf('a text'))
})

test('another text, another exchange and another model are embedded anew', async () => {
  const model = embedder()
  const other = embedder()
  const one = embedderHandle(model)
  const exchange = new TestExchange()
  await one.embedFor(exchange, 'a text')
  await one.embedFor(exchange, 'another text')
  await one.embedFor(new TestExchange(), 'a text')
  await embedderHandle(other).embedFor(exchange, 'a text')
  assert.equal(model.calls, [['a text'], ['another text'], ['a text']])
  assert.equal(other.calls, [['a text']])
})

test('one that failed is tried again by the next layer that asks', async () => {
  let fails = true
  const model = embedder(async texts => {
    if (fails) throw new Error('the model is away')
    return texts.map(vectorOf)
  })
  const one = embedderHandle(model)
  const exchange = new TestExchange()
  const both = await Promise.allSettled([one.embedFor(exchange, 'a text'), one.embedFor(exchange, 'a text')])
  assert.equal(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.is(model.calls.length, 1)
  fails = false
  assert.equal(await one.embedFor(exchange, 'a text'), vectorOf('a text'))
  await one.embedFor(exchange, 'a text')
  assert.is(model.calls.length, 2)
})

test('a layer that gave up leaves its cancellation to no other layer', async () => {
  const model = embedder((texts, cancellation = new Cancellation()) =>
    cancellation.guard(nextTurn().then(() => texts.map(vectorOf))),
  )
  const one = embedderHandle(model)
  const exchange = new TestExchange()
  const late = new Cancellation()
  const given = one.embedFor(exchange, 'a text', late)
  late.cancel(new DOMException('too slow', 'TimeoutError'))
  const [outcome] = await Promise.allSettled([given])
  assert.is(outcome?.status, 'rejected')
  assert.equal(await one.embedFor(exchange, 'a text', new Cancellation()), vectorOf('a text'))
})

test('a model that gives no vector fails the layer that asked', async () => {
  const [outcome] = await Promise.allSettled([
    embedderHandle(embedder(async () => [])).embedFor(new TestExchange(), 'a text'),
  ])
  assert.match(String(outcome?.status === 'rejected' && outcome.reason), /gave no vector/)
})

test('a later failure of a text that was embedded elsewhere is forgotten for that text alone', async () => {
  const model = embedder(async texts => {
    if (texts[0] === 'bad') throw new Error('the model is away')
    return texts.map(vectorOf)
  })
  const one = embedderHandle(model)
  const exchange = new TestExchange()
  await one.embedFor(exchange, 'good')
  await Promise.allSettled([one.embedFor(exchange, 'bad')])
  await one.embedFor(exchange, 'good')
  assert.equal(model.calls, [['good'], ['bad']])
})

test('passes the embedder on, with the fingerprint that it has by now', async () => {
  const started: { fingerprint?: string } = {}
  const model: Embedder = {
    dimensions: 2,
    get fingerprint() {
      return started.fingerprint
    },
    embed: async texts => texts.map(vectorOf),
  }
  const one = embedderHandle(model)
  assert.is(one.dimensions, 2)
  assert.is(one.fingerprint, undefined)
  started.fingerprint = 'weights-2'
  assert.is(one.fingerprint, 'weights-2')
  assert.equal(await one.embed(['a', 'bc']), [vectorOf('a'), vectorOf('bc')])
})

test('a model that writes is handed out as it is', () => {
  const writer: Writer = { model: 'parrot', write: async () => ({ text: 'text', finish: 'stop' }) }
  assert.is(handle(writer), writer)
})

test('a vector is known once it is made, to those who ask for no more', async () => {
  const model = embedder()
  const shared = handle(model)
  assert.ok('knownFor' in shared)
  const exchange = new TestExchange()
  const asked = shared.embedFor(exchange, 'text')
  assert.is(shared.knownFor(exchange, 'text'), undefined)
  assert.is(await asked, shared.knownFor(exchange, 'text'))
  assert.is(shared.knownFor(exchange, 'other'), undefined)
  assert.is(shared.knownFor(new TestExchange(), 'text'), undefined)
  assert.is(model.calls.length, 1)
})

test.run()
