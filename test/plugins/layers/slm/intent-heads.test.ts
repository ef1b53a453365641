import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { artifactText, readArtifact, trainHeads } from 'deflector/heads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import slm from '../../../../plugins/layers/slm/index.ts'
import { TestExchange, type TestHost, testHost } from '../../../contracts/host.ts'
import { tempFolder } from '../../../support/opened.ts'
import { WordEmbedder } from '../../../support/word-embedder.ts'

const embedder = new WordEmbedder()
const folder = tempFolder()

/** Prompts of two kinds that share no words. */
const PROMPTS = Array.from({ length: 120 }, (_, number) =>
  number % 2 === 0
    ? { prompt: `write one short function number ${number}`, tier: 'SNIPPET' }
    : { prompt: `refactor every module of project ${number}`, tier: 'COMPLEX' },
)

async function artifactOf(name: string, labels: Readonly<Record<string, string>>, heads = ['tier']): Promise<string> {
  const vectors = await embedder.embed(PROMPTS.map(({ prompt }) => prompt))
  const examples = PROMPTS.map(({ prompt, tier }, at) => ({
    prompt,
    vector: vectors[at] ?? new Float32Array(384),
    labels: Object.fromEntries(heads.map(head => [head, labels[tier] ?? tier])),
  }))
  const file = join(folder, `${name}.json`)
  writeFileSync(file, artifactText(trainHeads(examples, { seed: 1, embedder: 'words' })))
  return file
}

const file = await artifactOf('tiers', {})
const writer = {
  model: 'small-1',
  write: async () => ({ text: 'Here is a function.', finish: 'stop' as const }),
}

async function startedHost(options: object): Promise<TestHost<'layer'>> {
  const host = testHost('layer', { models: { writer, embedder } })
  const heads = { enabled: true, writer: 'writer', classifier: 'heads', embedder: 'embedder', heads_path: file }
  host.apply(slm, { ...heads, ...options })
  await host.start()
  host.ready()
  return host
}

async function noteOf(host: TestHost<'layer'>, content: string): Promise<string | undefined> {
  const body = { model: 'm', messages: [{ role: 'user', content }] }
  const prompt = promptOf(chatCompletions, new TextEncoder().encode(JSON.stringify(body)), body)
  const exchange = new TestExchange({ prompt })
  await host.call.answer(exchange)
  return exchange.notes.at(-1)
}

const SIMPLE = 'write one short function for me'
const HARD = 'refactor every module of this project'

test('a trained classifier gates what is written, without a model server', async () => {
  const host = await startedHost({})
  assert.is(await noteOf(host, SIMPLE), 'simple snippet')
  assert.is(await noteOf(host, HARD), 'complex')
})

test('below the confidence every request is complex', async () => {
  const unsure = join(folder, 'unsure.json')
  writeFileSync(unsure, readFileSync(file, 'utf8').replace(/"temperature": [\d.]+/, '"temperature": 1000'))
  const host = await startedHost({ heads_path: unsure })
  assert.is(await noteOf(host, SIMPLE), 'complex unsure')
  assert.is(
    await noteOf(await startedHost({ heads_path: unsure, confidence_threshold: 0.5 }), SIMPLE),
    'simple snippet',
  )
})

test('two simple tiers that are alike make a request no less simple', async () => {
  const alike = join(folder, 'alike.json')
  const artifact = readArtifact(readFileSync(file, 'utf8'))
  const { tier: head } = artifact.heads
  if (!head) throw new Error('there is no head')
  const { labels, weights, biases, temperature } = head
  const simple = labels.indexOf('SNIPPET')
  const again = <T>(list: readonly T[]): T[] => [...list, ...list.slice(simple, simple + 1)]
  const tier = { labels: [...labels, 'TEMPLATE'], weights: again(weights), biases: again(biases), temperature }
  writeFileSync(alike, artifactText({ ...artifact, heads: { tier } }))
  const host = await startedHost({ heads_path: alike, confidence_threshold: 0.9 })
  assert.is(await noteOf(host, SIMPLE), 'simple snippet')
  assert.is(await noteOf(host, HARD), 'complex')
})

test('a file of three tiers serves the mode of two', async () => {
  const host = await startedHost({ mode: 'binary' })
  assert.is(await noteOf(host, SIMPLE), 'simple simple')
  assert.is(await noteOf(host, HARD), 'complex')
})

test('without a vector a request is complex, and the layer goes on', async () => {
  const host = await startedHost({})
  embedder.fails = true
  try {
    assert.is(await noteOf(host, SIMPLE), 'model_failed')
  } finally {
    embedder.fails = false
  }
  assert.is(await noteOf(host, SIMPLE), 'simple snippet')
})

test('a file that cannot be used ends the start, and says what to do', async () => {
  const failure = (options: object): Promise<string> =>
    startedHost(options).then(
      () => '',
      (error: Error) => error.message,
    )
  const broken = join(folder, 'broken.json')
  writeFileSync(broken, '{')
  assert.match(await failure({ heads_path: broken }), 'it is not JSON')
  assert.match(await failure({ heads_path: join(folder, 'none.json') }), 'ENOENT')
  const remedy = /Train one with "deflector classifier train", set slm_router.heads_path, or set slm_router.classifier/
  assert.match(await failure({ heads_path: broken }), remedy)
  const other = await artifactOf('labels', { SNIPPET: 'EASY' })
  assert.match(await failure({ heads_path: other }), 'the label "EASY", and the labels are TEMPLATE, SNIPPET, COMPLEX')
  const two = await artifactOf('heads', {}, ['tier', 'domain'])
  assert.match(await failure({ heads_path: two }), 'it has the heads tier, domain, and needs one')
  const none = await artifactOf('none', { COMPLEX: 'TEMPLATE' })
  assert.match(await failure({ heads_path: none }), 'has no label COMPLEX')
})

test('an embedder without a fingerprint goes by its dimensions, as in training', async () => {
  const nameless = { dimensions: embedder.dimensions, embed: (texts: readonly string[]) => embedder.embed(texts) }
  const artifact = readArtifact(readFileSync(file, 'utf8'))
  const own = join(folder, 'nameless.json')
  writeFileSync(own, artifactText({ ...artifact, embedder: 'unnamed-384' }))
  const host = testHost('layer', { models: { writer, embedder: nameless } })
  host.apply(slm, { enabled: true, writer: 'writer', classifier: 'heads', embedder: 'embedder', heads_path: own })
  await host.start()
  host.ready()
  assert.is(await noteOf(host, SIMPLE), 'simple snippet')
})

test('a file for another embedder is refused', async () => {
  const host = testHost('layer', { models: { writer, embedder: new WordEmbedder('others') } })
  const options = { enabled: true, writer: 'writer', classifier: 'heads', embedder: 'embedder', heads_path: file }
  host.apply(slm, options)
  await host.start().then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, 'it was trained with the embedder words, and this one is others'),
  )
})

test.run()
