import { truncateSync } from 'node:fs'
import { CHAT, type EmbedderHandle, isGatewayError, type Prompt, promptOf } from 'deflector'
import { health } from 'deflector/facets/health'
import { modelRouting } from 'deflector/facets/model-routing'
import { stepWords } from 'deflector/facets/step-words'
import { messages } from 'deflector/formats/messages'
import { counting } from 'deflector/formats/token-count'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import classifier from '../../../../plugins/layers/classifier/index.ts'
import { type ExchangeFacts, plainPrompt, TestExchange, testHost } from '../../../contracts/host.ts'
import { checkLayer } from '../../../contracts/layer.ts'
import { artifactPath, madeUpEmbedder, routingArtifact, vectorOf } from '../../../support/routing.ts'

const artifact = artifactPath()
const chain = ['main', 'cheap', 'strong']
const SURE = 'a complex review by a developer of the backend'

const around = () => ({ models: { embedder: madeUpEmbedder() } })
checkLayer(classifier, {
  options: { enabled: true, artifact, chain },
  around,
  passesOn: () => new TestExchange({ prompt: plainPrompt('what?') }),
})

interface Given {
  readonly embedder?: Partial<EmbedderHandle>
  readonly facts?: ExchangeFacts
  readonly routing?: boolean
}

async function routed(text: string, options: object, { embedder, facts, routing }: Given = {}) {
  const host = testHost('layer', {
    models: { embedder: { ...madeUpEmbedder(), ...embedder } },
    offers: facets => {
      const by = { role: 'layer', name: 'model-routes' } as never
      if (routing) facets.offer(modelRouting, by, model => ({ provider: 'strong', model }))
    },
  })
  host.apply(classifier, { enabled: true, artifact, chain, ...options })
  await host.start()
  const exchange = new TestExchange({ prompt: plainPrompt(text), ...facts })
  const failure = await host.call.receive(exchange).then(
    () => undefined,
    error => error,
  )
  return { host, exchange, failure, route: exchange.route, notes: exchange.notes }
}

test('a rule whose labels all fit chooses provider and model, and shows itself', async () => {
  const rules = [
    { name: 'data', domain: 'data', provider: 'cheap' },
    { name: 'deep', task_type: 'review', complexity: 'complex', provider: 'strong', model: 'big' },
  ]
  const { route, notes, exchange } = await routed(SURE, { rules })
  assert.equal(route, { provider: 'strong', model: 'big' })
  assert.equal(notes, ['routed deep'])
  assert.is(exchange.replyHeaders['x-service-route'], 'deep; strong/big')
})

test('each note has words', async () => {
  const { host } = await routed(SURE, { rules: [] })
  const read = host.offer(stepWords)
  assert.equal(read?.('routed deep'), { words: 'chose the route by the rule "deep"' })
  for (const note of ['named', 'no_artifact', 'no_text', 'no_vector', 'low_confidence', 'no_rule'])
    assert.ok(read?.(note), note)
  assert.is(read?.('passed'), undefined)
})

test('the span has labels, confidence, rule and target, and no prompt', async () => {
  const { exchange } = await routed(SURE, { matrix: { complex: { review: 'strong' } } })
  const { 'classifier.confidence': confidence, ...rest } = Object.fromEntries(exchange.attributes ?? [])
  assert.equal(rest, {
    'classifier.task_type': 'review',
    'classifier.complexity': 'complex',
    'classifier.persona': 'developer',
    'classifier.domain': 'backend',
    'classifier.outcome': 'routed',
    'classifier.rule': 'matrix complex/review',
    'classifier.target': 'strong',
  })
  assert.ok(Number(confidence) > 0.55)
})

test('a rule without a provider goes where the name of its model leads', async () => {
  const rules = [{ complexity: 'complex', model: 'claude-x' }]
  assert.equal((await routed(SURE, { rules })).route, { model: 'claude-x' })
  assert.equal((await routed(SURE, { rules }, { routing: true })).route, { provider: 'strong', model: 'claude-x' })
})

test('what model-routes chose by a pattern gives way, what the client named stands', async () => {
  const rules = [{ complexity: 'complex', provider: 'cheap' }]
  const by = (route: object) => routed(SURE, { rules }, { facts: { prompt: plainPrompt(SURE), route } })
  assert.equal((await by({ provider: 'strong', model: 'm' })).route, { provider: 'cheap' })
  const named = await by({ provider: 'strong', model: 'm', named: true })
  assert.equal([named.route, named.notes], [{ provider: 'strong', model: 'm', named: true }, ['named']])
})

test("the client's model stays with the provider that would have got it anyway", async () => {
  const at = async (provider: string, route: object) => {
    const facts = { prompt: plainPrompt(SURE, { model: 'm' }), route }
    return (await routed(SURE, { rules: [{ complexity: 'complex', provider }] }, { facts })).route
  }
  assert.equal(await at('main', {}), { provider: 'main', model: 'm' })
  assert.equal(await at('cheap', {}), { provider: 'cheap' })
  assert.equal(await at('strong', { provider: 'strong', model: 'own' }), { provider: 'strong', model: 'own' })
  assert.equal(await at('main', { provider: 'strong', model: 'own' }), { provider: 'main' })
})

test('a local rule keeps the request on the machine, by its name', async () => {
  const { route, exchange } = await routed(SURE, { matrix: { default: { default: 'local' } } })
  assert.equal(route, { localRule: 'the rule "matrix default/default"' })
  assert.is(exchange.replyHeaders['x-service-route'], 'matrix default/default; local')
})

const rules = [{ task_type: 'review', provider: 'cheap' }]
const closed = { rules, fallback: false }

for (const [note, text, options, given] of [
  ['low_confidence', 'neither this nor that', { confidence_threshold: 0.99 }, {}],
  ['no_rule', 'codegen simple developer backend', { confidence_threshold: 0 }, {}],
  ['low_confidence', SURE, {}, { embedder: { embed: async () => [new Float32Array(4).fill(Number.NaN)] } }],
  ['no_text', '   ', {}, {}],
  ['no_vector', SURE, {}, { embedder: { embed: async () => Promise.reject(new Error('away')) } }],
  ['no_artifact', SURE, { artifact: '/nowhere/artifact.json' }, {}],
  ['no_artifact', SURE, {}, { embedder: { fingerprint: 'another' } }],
] as const) {
  test(`${note}: goes on as usual, and is refused where routing is closed`, async () => {
    const open = await routed(text, { rules, ...options }, given)
    assert.equal([open.failure, open.route, open.notes], [undefined, {}, [note]])
    const { failure } = await routed(text, { ...closed, ...options }, given)
    assert.ok(isGatewayError(failure))
    assert.equal([failure.code, failure.status], ['route_closed', 503])
    assert.match(failure.message, /^classifier routing is closed: /)
  })
}

test('only what may leave the machine is refused', async () => {
  for (const kind of ['lookup', 'put', 'inspect'] as const) {
    const facts = { kind, prompt: plainPrompt('neither') }
    const { failure } = await routed('', { ...closed, confidence_threshold: 1 }, { facts })
    assert.is(failure, undefined)
  }
  const other: Prompt = { ...plainPrompt('neither'), operation: 'embeddings' }
  assert.is.not(other.operation, CHAT)
  assert.is((await routed('', closed, { facts: { prompt: other } })).failure, undefined)
})

test('a count of tokens follows the rules of its prompt, and is made here where routing is closed', async () => {
  const format = counting(messages, { encodeCount: tokens => ({ input_tokens: tokens }) })
  const count = (content: string, options: object) => {
    const body = { model: 'm', messages: [{ role: 'user', content }] }
    return routed('', options, { facts: { prompt: promptOf(format, Buffer.from(JSON.stringify(body)), body) } })
  }
  const { route } = await count(SURE, { matrix: { default: { default: 'local' } } })
  assert.equal(route, { localRule: 'the rule "matrix default/default"' })
  const { failure, route: kept } = await count('neither', { ...closed, confidence_threshold: 1 })
  assert.is(failure, undefined)
  assert.match(kept.localRule ?? '', /^classifier routing is closed: /)
})

test('an embedder that hangs holds a request for wait_ms', async () => {
  const host = testHost('layer', {
    models: {
      embedder: {
        ...madeUpEmbedder(),
        embed: texts => (texts[0] === SURE ? new Promise(() => {}) : Promise.resolve(texts.map(vectorOf))),
      },
    },
  })
  host.apply(classifier, { enabled: true, artifact, chain, rules, wait_ms: 40 })
  await host.start()
  const exchange = new TestExchange({ prompt: plainPrompt(SURE) })
  const received = host.call.receive(exchange)
  await new Promise(resolve => setImmediate(resolve))
  host.clock.advance(40)
  await received
  assert.equal(exchange.notes, ['no_vector'])
  assert.is(host.offer(health)?.(), 'degraded')
  await host.call.receive(new TestExchange({ prompt: plainPrompt('a review') }))
  assert.is(host.offer(health)?.(), 'active')
})

const block = (text: string) => ({ type: 'text', text })
const REMINDER = block('<system-reminder>\nsimple codegen by an analyst of data\n</system-reminder>')
const result = { type: 'tool_result', tool_use_id: 't', content: 'simple codegen by an analyst of data' }

for (const [what, asked, later] of [
  ['never the result of a tool', SURE, [result]],
  ['nor what an agent puts beside one', SURE, [result, REMINDER]],
  ['nor beside the words themselves', [REMINDER, block(SURE), REMINDER], [result, REMINDER]],
  ['also where the user speaks beside a result', 'simple codegen by an analyst of data', [result, block(SURE)]],
  ['also in two elements of a name', [block(`<b>${SURE}</b> <b></b>`), REMINDER], [result, REMINDER]],
  ['and what an agent says to be typed', [block(`<user_query>${SURE}</user_query>`), block('[Note: tabs]')], [result]],
  ['in an element, where they are nowhere else', [block(`<task>${SURE}</task>`)], [result]],
] as const)
  test(`what is classified are the last words of the user, ${what}`, async () => {
    const bodies = {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: asked },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: {} }] },
        { role: 'user', content: later },
      ],
    }
    const prompt = promptOf(messages, Buffer.from(JSON.stringify(bodies)), bodies)
    const { notes } = await routed('', { rules }, { facts: { prompt } })
    assert.equal(notes, ['routed rule 1'])
  })

test('a name without an end keeps no request waiting', async () => {
  const content = [block('hello'), block(`<${'a'.repeat(1_000_000)}`)]
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] }
  const { notes } = await routed('', { rules }, { facts: { prompt: promptOf(messages, Buffer.from('{}'), body) } })
  assert.is(notes.length, 1)
})

test('the vector is the one that other layers of the exchange ask for', async () => {
  let asked = 0
  const embed = async (texts: readonly string[]) => {
    asked += texts.includes(SURE) ? 1 : 0
    return texts.map(vectorOf)
  }
  const { host, exchange } = await routed(SURE, { rules }, { embedder: { embed } })
  const embedder = host.host.model('embedder')
  assert.ok('embedFor' in embedder)
  assert.equal(embedder.knownFor(exchange, SURE), vectorOf(SURE))
  assert.is(asked, 1)
})

test('health is degraded without an artifact that fits, and the log says why', async () => {
  const { host } = await routed(SURE, { rules }, { embedder: { fingerprint: 'another' } })
  assert.is(host.offer(health)?.(), 'degraded')
  assert.match(String(host.logged[0]?.fields.reason), /made for the embedder made-up, and this one is another/)
  const { tier } = { tier: routingArtifact.heads.domain }
  const lacking = await routed(SURE, {
    artifact: artifactPath(JSON.stringify({ ...routingArtifact, heads: { tier } })),
  })
  assert.match(
    String(lacking.host.logged.at(-1)?.fields.reason),
    /lacks the heads task_type, complexity, persona, domain/,
  )
})

test('a file that is far too large for an artifact is not read', async () => {
  const file = artifactPath('')
  truncateSync(file, 33 << 20)
  const { host } = await routed(SURE, { artifact: file })
  assert.is(host.logged.at(-1)?.fields.reason, 'it is larger than 32 MiB')
})

test('while it is off it taps nothing, starts nothing and asks for no model', () => {
  const host = testHost('layer', { models: {} })
  host.apply(classifier, { enabled: false, rules: [{ complexity: 'no such', provider: 'nobody' }] })
  assert.equal([host.tapped, host.starts, host.offer(health)?.()], [[], 0, 'disabled'])
})

const problems = (options: object): string[] =>
  (classifier.options.safeParse({ enabled: true, artifact, chain, ...options }).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  )

test('labels and providers that do not exist are refused with those that do', () => {
  assert.equal(
    problems({ rules: [{ complexity: 'hard', provider: 'groq' }], matrix: { simple: { poetry: 'main' } } }),
    [
      'rules.0.complexity: "hard" is no complexity of the artifact; it has complex, simple',
      'rules.0.provider: "groq" is no provider; name one of main, cheap, strong, local',
      'matrix.simple.poetry: "poetry" is no task_type of the artifact; it has codegen, review, default',
    ],
  )
  assert.equal(
    problems({ matrix: { default: { default: 'groq/llama' }, simple: { default: 'local/x', review: 'main/' } } }),
    [
      'matrix.default.default: "groq" is no provider; name one of main, cheap, strong, local',
      'matrix.simple.default: "local" takes no model: nothing leaves the machine',
      'matrix.simple.review: names no model behind the slash',
    ],
  )
  assert.equal(problems({ rules: [{ complexity: 'simple' }] }), ['rules.0: needs a provider, a model, or both'])
})

test('without an artifact no label is refused: the layer is degraded', () => {
  assert.equal(problems({ artifact: '/nowhere.json', rules: [{ complexity: 'hard', provider: 'main' }] }), [])
})

test.run()
