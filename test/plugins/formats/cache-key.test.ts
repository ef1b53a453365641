import { type Dialect, type JsonObject, type KeyPlace, type Prompt, promptOf } from 'deflector'
import { cacheKey, partitionKey, promptHash, readyKey } from 'deflector/formats/cache-key'
import { canonicalBody } from 'deflector/formats/canonical-body'
import { chatCompletions } from 'deflector/formats/chat-completions'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type ExchangeFacts, plainFormat, TestExchange } from '../../contracts/host.ts'
import { countTurns } from '../../support/loop-turns.ts'
import { samples } from './cache-key.bodies.ts'

/** Any body does here: the key is about the body as JSON, not about what a format makes of it. */
const promptFrom = (json: string, dialect: Dialect = plainFormat): Prompt =>
  promptOf(dialect, Buffer.from(json), JSON.parse(json))
const keyOfText = (json: string, facts: ExchangeFacts = {}, dialect?: Dialect): string =>
  cacheKey(new TestExchange({ model: 'm', ...facts, prompt: promptFrom(json, dialect) }))
const keyOf = (body: unknown, facts?: ExchangeFacts, dialect?: Dialect): string =>
  keyOfText(JSON.stringify(body), facts, dialect)
const sampleOf = (name: string): JsonObject => structuredClone(samples[name]?.body ?? {})
const dialectOf = (name: string): Dialect => samples[name]?.dialect ?? plainFormat
/** The key of a body as a dialect of the samples reads it. */
const keyIn = (name: string, body: unknown, facts?: ExchangeFacts): string => keyOf(body, facts, dialectOf(name))

type Step = string | number
type Container = Record<Step, unknown>
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

/** Every path in a body, containers too. */
function* paths(value: unknown, at: readonly Step[] = []): Generator<readonly Step[]> {
  if (!isContainer(value)) return
  for (const key of Object.keys(value)) {
    const path = [...at, Array.isArray(value) ? Number(key) : key]
    yield path
    yield* paths(value[key], path)
  }
}

function changed(body: JsonObject, path: readonly Step[], change: (holder: Container, key: Step) => void): JsonObject {
  const copy = structuredClone(body)
  let holder: Container = copy
  for (const step of path.slice(0, -1)) {
    const next = holder[step]
    if (isContainer(next)) holder = next
  }
  change(holder, path.at(-1) ?? '')
  return copy
}

function flip(holder: Container, key: Step): void {
  const value = holder[key]
  if (typeof value === 'string') holder[key] = `${value}~`
  else if (typeof value === 'number') holder[key] = value + 1
  else if (typeof value === 'boolean') holder[key] = !value
  else holder[key] = 'something else'
}

function remove(holder: Container, key: Step): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

for (const [name, { dialect, body, free }] of Object.entries(samples)) {
  const base = keyIn(name, body)
  const freeBy = (change: typeof flip): string[] =>
    [...paths(body)].filter(path => keyIn(name, changed(body, path, change)) === base).map(path => path.join('.'))
  // A billing block is left out as it is, or not there, but not with anything more in it.
  const isBlock = (path: string): boolean => path === 'system.0' || path === 'system.0.type' || path === 'system.0.text'

  test(`${name}: a changed field is another key, those that cannot matter are not`, () => {
    assert.equal(
      freeBy(flip)
        .filter(path => !isBlock(path))
        .sort(),
      free.filter(path => !isBlock(path)).sort(),
    )
  })

  test(`${name}: a field left out is another key, those that cannot matter are not`, () => {
    assert.equal(
      freeBy(remove)
        .filter(path => !isBlock(path))
        .sort(),
      free.filter(path => !isBlock(path)).sort(),
    )
  })

  test(`${name}: a field nobody thought of is another key, wherever it stands`, () => {
    const holders = [[], ...paths(body)].filter(path => {
      let value: unknown = body
      for (const step of path) value = isContainer(value) ? value[step] : undefined
      return isContainer(value) && !Array.isArray(value)
    })
    for (const path of holders) {
      const at = path.join('.')
      const copy = changed({ body }, ['body', ...path], (holder, key) => {
        holder[key] = { ...(holder[key] as object), zz_new: 1 }
      }).body
      const ignored = free.includes(at) && !isBlock(at)
      assert.is(keyIn(name, copy) === base, ignored, at)
    }
  })

  test(`${name}: order of keys, white space and escapes make no difference`, () => {
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.nat()),
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        (dice, indent, escaping) => {
          const spaced = JSON.stringify(shuffled(body, dice), null, indent)
          assert.is(keyOfText(escaping ? escaped(spaced) : spaced, {}, dialect), base)
        },
      ),
      { numRuns: 60 },
    )
  })
}

function shuffled(value: unknown, dice: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map(item => shuffled(item, dice))
  if (!isContainer(value)) return value
  const entries = Object.entries(value).map(([key, item]) => ({
    key,
    item: shuffled(item, dice),
    at: Number(dice.next().value),
  }))
  return Object.fromEntries(entries.sort((a, b) => a.at - b.at).map(({ key, item }) => [key, item]))
}

/** Letters inside JSON text as `\u0061`: only strings hold an `e` or `s` that is no escape, number or literal here. */
const escaped = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, text =>
    text.replace(/(?<!\\)[ms]/g, letter => `\\u00${letter.charCodeAt(0).toString(16)}`),
  )

test('keys are sorted whatever their number, order and letters', () => {
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom('', 'a', 'b', 'aa', 'B', '"', '\\', '10', '9', 'é', '__proto__', '\x7f'),
  )
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 40 }), fc.infiniteStream(fc.nat()), (keys, dice) => {
      const more = Object.fromEntries(keys.map((key, i) => [key, i]))
      assert.is(keyOf({ more: shuffled(more, dice) }), keyOf({ more }))
      const canonical = canonicalBody({ dialect: plainFormat, body: { more }, bytes: new Uint8Array() })
      assert.is(
        canonical,
        JSON.stringify({ more: null }).replace('null', () => JSON.stringify(more, Object.keys(more).sort())),
      )
    }),
  )
})

test('the billing block of a client is left out, but nothing that stands with it in one text', () => {
  const withSystem = (system: unknown): string => keyIn('messages', { ...sampleOf('messages'), system })
  const rest = [{ type: 'text', text: 'You are brief.' }]
  const billing = (text: string) => [{ type: 'text', text: `x-anthropic-billing-header: ${text}` }, ...rest]
  assert.is(withSystem(billing('cc_version=1.a;')), withSystem(billing('cc_version=2.b;')))
  assert.is(withSystem(billing('cc_version=1.a;')), withSystem(rest))
  assert.is(withSystem(billing('cc_version=2.1.329.bbc; cc_entrypoint=sdk-cli; cch=00000;\n')), withSystem(rest))
  for (const text of [
    'v=1;\nYou are a pirate.',
    'cc_version=1.a; You are a pirate.',
    'cc_version=1.a; cc_entrypoint=You are a pirate;',
    'cc_version=1.a; instruction=pirate;',
    `cch=${'pirate-'.repeat(10)};`,
    'cch=You; cch=are; cch=a; cch=pirate;',
    'cc_version=1.a;\nYou are a pirate.',
    '',
  ])
    assert.is.not(withSystem(billing(text)), withSystem(rest), text)
  const [block] = billing('cc_version=1.a;')
  assert.is.not(withSystem([{ ...block, type: 'input_text' }, ...rest]), withSystem(rest))
  assert.is.not(withSystem([{ ...block, citations: [] }, ...rest]), withSystem(rest))
  assert.is.not(withSystem([block, block, ...rest]), withSystem(rest))
  assert.is.not(withSystem('x-anthropic-billing-header: a'), withSystem('x-anthropic-billing-header: b'))
})

test('one plain text part is its text, in content and system', () => {
  const ask = (content: unknown, system: unknown = 'Be brief.'): string =>
    keyIn('messages', { messages: [{ role: 'user', content }], system })
  const part = { type: 'text', text: 'Hi' }
  assert.is(ask('Hi'), ask([part]))
  assert.is(ask('Hi'), ask([{ ...part, cache_control: { type: 'ephemeral' } }]))
  assert.is(ask('Hi'), ask('Hi', [{ type: 'text', text: 'Be brief.' }]))
  assert.is.not(ask('Hi'), ask([part, part]))
  assert.is.not(ask('Hi'), ask([{ ...part, citations: [] }]))
  assert.is.not(ask('Hi'), ask([{ type: 'input_text', text: 'Hi' }]))
  assert.is.not(ask(''), ask([]))
})

test('text stays as it is: case, space and Unicode spelling count', () => {
  const texts = [
    'Hello',
    'hello',
    ' Hello',
    'Hello ',
    'Hello\n',
    'Hello  you',
    'Hello you',
    'é',
    'e\u0301',
    '\ud800',
    '\ud801',
    '',
    '[]',
    'null',
  ]
  assert.is(new Set(texts.map(prompt => keyOf({ prompt }))).size, texts.length)
})

test('a null at the top is an absent field, elsewhere it is a value', () => {
  assert.is(keyOf({ prompt: 'a', temperature: null }), keyOf({ prompt: 'a' }))
  assert.is.not(keyOf({ prompt: 'a', x: { y: null } }), keyOf({ prompt: 'a', x: {} }))
})

test('numbers count by their value, not their spelling', () => {
  const seed = (text: string): string => keyOfText(`{"prompt":"a","seed":${text}}`)
  for (const same of [
    ['1', '1.0', '1e0', '10e-1', '0.1E1'],
    ['100', '1e2', '1.00e+2'],
    ['0', '-0', '0.0', '0e9'],
    ['9007199254740993', '9007199254740993.0', '9.007199254740993e15', '90071992547409930e-1'],
    ['1000000000000000000000', '1e21', '10E20'],
  ]) {
    for (const text of same) assert.is(seed(text), seed(same[0] ?? ''), text)
  }
  assert.is.not(seed('1'), seed('"1"'))
  assert.is.not(seed('1'), seed('true'))
})

test('integers beyond 2^53 do not collapse', () => {
  const seeds = [
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '18446744073709551615',
    '18446744073709551616',
    '1e400',
    '1e401',
    '-1e400',
    'null',
  ]
  const nested = seeds.map(seed => keyOfText(`{"prompt":"a","x":[{"seed":${seed}}]}`))
  assert.is(new Set(nested).size, seeds.length)
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }), fc.bigInt({ min: 1n, max: 50n }), (a, more) => {
      assert.is.not(keyOfText(`{"seed":${a}}`), keyOfText(`{"seed":${a + more}}`))
      assert.is(keyOfText(`{"seed":${a},"b":1}`), keyOfText(`{"b":1.0, "seed":${a}.00}`))
    }),
  )
})

test('a large number beside them keeps all other rules', () => {
  const seed = '"seed":12345678901234567890'
  assert.is(keyOfText(`{${seed},"stream":true,"prompt":"a","user":null}`), keyOfText(`{"prompt":"a",${seed}}`))
  assert.is(
    keyOfText(`{"prompt":"b","prompt":"a",${seed}}`),
    keyOfText(`{"prompt":"a",${seed}}`),
    'the last of two wins',
  )
  assert.is.not(keyOfText(`{"__proto__":{"a":1},${seed}}`), keyOfText(`{"__proto__":{"a":2},${seed}}`))
})

test('call ids count by what they connect, not by their name', () => {
  const conversation = (a: string, b: string, first: string, second: string): string =>
    keyIn('messages', {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: a, name: 'f', input: {} },
            { type: 'tool_use', id: b, name: 'f', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: first, content: '1' },
            { type: 'tool_result', tool_use_id: second, content: '2' },
          ],
        },
      ],
    })
  assert.is(conversation('x', 'y', 'x', 'y'), conversation('p', 'q', 'p', 'q'))
  assert.is(conversation('x', 'y', 'x', 'y'), conversation('y', 'x', 'y', 'x'))
  assert.is.not(conversation('x', 'y', 'x', 'y'), conversation('x', 'y', 'y', 'x'))
  assert.is.not(conversation('x', 'y', 'x', 'y'), conversation('x', 'x', 'x', 'x'))

  const swapIds = (name: string, rename: (text: string) => string): string =>
    keyOfText(rename(JSON.stringify(sampleOf(name))), {}, dialectOf(name))
  assert.is(
    swapIds('chat-completions', text => text.replaceAll('call_a', 'z1').replaceAll('call_b', 'z0')),
    keyIn('chat-completions', sampleOf('chat-completions')),
  )
  assert.is(
    swapIds('responses', text => text.replaceAll('call_1', 'z1')),
    keyIn('responses', sampleOf('responses')),
  )
  assert.is(
    swapIds('generate-content', text => text.replaceAll('call_1', 'z1')),
    keyIn('generate-content', sampleOf('generate-content')),
  )
})

test('a session id that is none counts as a field like any other', () => {
  const long = (letter: string): string => keyOf({ prompt: 'a', session_id: letter.repeat(513) })
  assert.is.not(long('a'), long('b'))
  const keys = [1.5, [1], [2], { a: 1 }, true, ''].map(session_id => keyOf({ prompt: 'a', session_id }))
  assert.is(new Set(keys).size, keys.length)
  assert.is(keyOf({ prompt: 'a', session_id: 1 }), keyOf({ prompt: 'a', session_id: 's' }), 'the scope has it')
})

test('a session that is a number is another one than its digits', () => {
  assert.is.not(keyOf({ prompt: 'a' }, { session: 1 }), keyOf({ prompt: 'a' }, { session: '1' }))
  assert.is.not(keyOf({ prompt: 'a' }, { session: 1 }), keyOf({ prompt: 'a' }, { session: 2 }))
})

const partitionOf = (history: string, question: string, more: object = {}): Promise<string> => {
  const messages = [history, 'Yes.', question].map((content, at) => ({
    role: at === 1 ? 'assistant' : 'user',
    content,
  }))
  const prompt = promptFrom(JSON.stringify({ messages, ...more }), chatCompletions)
  const turn = chatCompletions.lastTurn?.(prompt.body)
  assert.ok(turn)
  return partitionKey(new TestExchange({ model: 'm', prompt }), turn.rest)
}

test('prompts share a partition when only their last turn differs, whatever their size', async () => {
  for (const history of ['Hello', 'Hello '.repeat(30_000)]) {
    const base = await partitionOf(history, 'One?')
    assert.is(await partitionOf(history, 'Two?'), base)
    assert.is.not(await partitionOf(`${history}.`, 'One?'), base)
    assert.is.not(await partitionOf(history, 'One?', { temperature: 1 }), base)
  }
})

test('the partition of a large prompt is found while the event loop goes on', async () => {
  const loop = countTurns()
  await partitionOf('Hello '.repeat(30_000), 'One?')
  loop.stop()
  assert.ok(loop.turns >= 1)
})

test('surfaces, models, sessions, tenants and routes never share', () => {
  const facts: ExchangeFacts[] = [
    {},
    { namespace: 'other' },
    { model: 'other' },
    { model: undefined },
    { model: '' },
    { session: 'other' },
    { session: '' },
    { tenant: 'other' },
    { route: { provider: 'other' } },
    { route: { model: 'other' } },
    { headers: { 'anthropic-beta': 'other' } },
    { headers: { 'anthropic-version': 'other' } },
  ]
  assert.is(new Set(facts.map(fact => keyIn('messages', { prompt: 'a' }, fact))).size, facts.length)
})

test('no part of the key can pass for another, whatever it holds', () => {
  const word = fc.option(fc.constantFrom('a', 'b', '"', '","', 'null', '', 'a","b'), { nil: undefined })
  const facts = fc.record({ namespace: word, session: word, tenant: word, provider: word })
  const said = ({ namespace, session, tenant, provider }: Record<string, string | undefined>): string =>
    keyOf(
      { prompt: 'a' },
      {
        namespace: namespace ?? 'none',
        ...(session !== undefined && { session }),
        ...(tenant !== undefined && { tenant }),
        route: provider === undefined ? {} : { provider },
      },
    )
  fc.assert(
    fc.property(facts, facts, (a, b) => {
      const same = (['namespace', 'session', 'tenant', 'provider'] as const).every(field => a[field] === b[field])
      assert.is(said(a) === said(b), same)
    }),
  )
})

test('what stands around the body may still change after the key was first asked for', () => {
  const exchange = new TestExchange({ model: 'm', prompt: promptFrom('{"prompt":"a"}') })
  const before = cacheKey(exchange)
  assert.is(cacheKey(exchange), before)
  exchange.route = { provider: 'p' }
  assert.is.not(cacheKey(exchange), before)
  exchange.route = {}
  assert.is(cacheKey(exchange), before)
})

test('who asks and which feature list order they send make no difference', () => {
  const base = { prompt: 'a' }
  const betas = (list: string): ExchangeFacts => ({ headers: { 'anthropic-beta': list } })
  assert.is(keyOf(base, { principal: 'ann', id: 'other', headers: { 'user-agent': 'x' } }), keyOf(base))
  assert.is(keyIn('messages', base, betas('a,b')), keyIn('messages', base, betas('b, a,a')))
})

test('a header counts only in the dialect that it belongs to', () => {
  const facts: ExchangeFacts = { headers: { 'anthropic-beta': 'a', 'anthropic-version': '1' } }
  for (const name of ['chat-completions', 'native']) assert.is(keyIn(name, {}, facts), keyIn(name, {}))
})

test('a dialect of its own says what counts in its keys', () => {
  const part: KeyPlace = { note: 'noise', parts: { place: () => part, text: true }, ref: 'call id' }
  const dialect: Dialect = {
    ...plainFormat,
    name: 'own',
    headers: [{ name: 'own-version' }, { name: 'own-region' }, { name: 'own-features', set: true }],
    keyRules: {
      trace: 'noise',
      metadata: 'data',
      draft: { rule: 'noise', when: body => body.final === true },
      items: { place: () => part, without: item => item === 'banner' },
    },
  }
  const key = (body: JsonObject, headers: Record<string, string> = {}): string => keyOf(body, { headers }, dialect)
  const item = (more: JsonObject): JsonObject => ({ items: [{ say: 'hi', ...more }] })
  for (const [one, other] of [
    [{ trace: 1 }, { trace: 2 }],
    [{ stream: true, model: 'a', cache_control: {} }, {}],
    [{ final: true, draft: 1 }, { final: true }],
    [item({ note: 1, cache_control: {} }), item({})],
    [item({ parts: [{ type: 'text', text: 'x' }] }), item({ parts: 'x' })],
    [item({ parts: [{ parts: [{ note: 1 }] }] }), item({ parts: [{ parts: [{}] }] })],
    [item({ ref: 'a' }), item({ ref: 'b' })],
    [{ items: ['banner', 'x'] }, { items: ['x'] }],
  ] as const)
    assert.is(key(one), key(other), JSON.stringify(one))
  for (const [one, other] of [
    [{ metadata: 1 }, { metadata: 2 }],
    [{ draft: 1 }, {}],
    [{ deep: { trace: 1 } }, { deep: { trace: 2 } }],
    [{ messages: [{ cache_control: 1 }] }, { messages: [{}] }],
    [{ note: 1 }, { note: 2 }],
    [{ items: ['banner', 'banner', 'x'] }, { items: ['x'] }],
    [item({ parts: [{ say: { note: 1 } }] }), item({ parts: [{ say: {} }] })],
  ] as const)
    assert.is.not(key(one), key(other), JSON.stringify(one))
  assert.is(key({}, { 'own-features': 'b,a' }), key({}, { 'own-features': 'a, b' }))
  const headers = [{}, { 'own-version': '1' }, { 'own-region': '1' }, { 'own-features': '1' }, { 'own-version': '2' }]
  assert.is(new Set(headers.map(each => key({}, each))).size, headers.length)
})

test('a dialect without rules leaves out only what is noise in all of them', () => {
  const ask = (more: JsonObject): string => keyOf({ prompt: 'a', ...more })
  const noise = { stream: true, stream_options: {}, user: 'u', safety_identifier: 's', metadata: {}, model: 'x' }
  const caching = { prompt_cache_key: 'k', prompt_cache_retention: '1h', prompt_cache_options: { mode: 'implicit' } }
  const more = { ...caching, client_metadata: {}, cache_control: {} }
  assert.is(ask({ ...noise, ...more, session_id: 's', thread_id: 1, conversation_id: 'c' }), ask({}))
  const said = [{ type: 'text', text: 'a' }]
  assert.is.not(ask({ system: said }), ask({ system: 'a' }))
  assert.is.not(ask({ messages: [{ content: said }] }), ask({ messages: [{ content: 'a' }] }))
})

test('the mark of a cached part is left out of every place that a dialect knows, tool calls too', () => {
  const body = sampleOf('chat-completions')
  const marked = changed(body, ['messages', 2, 'tool_calls', 0], (calls, at) => {
    calls[at] = { ...(calls[at] as object), cache_control: { type: 'ephemeral' } }
  })
  assert.is(keyIn('chat-completions', marked), keyIn('chat-completions', body))
})

test('a body nested beyond reason still has a key, of its own', () => {
  const nested = (depth: number, core: string): string =>
    `{"prompt":"a","x":${'['.repeat(depth)}${core}${']'.repeat(depth)}}`
  assert.is.not(keyOfText(nested(5000, '1')), keyOfText(nested(5000, '2')))
  assert.is(keyOfText(nested(5000, '1')), keyOfText(nested(5000, '1')))
  assert.is(keyOfText(nested(100, '1')), keyOfText(nested(100, '1.0')))
})

test('a number that no computer holds is the same only as the same bytes', () => {
  const zeros = '0'.repeat(1_000_000)
  const inner = '0'.repeat(30_000)
  const seeds = [
    `1${zeros}1`,
    `1${zeros}2`,
    `1e${'9'.repeat(4_000_000)}`,
    `1${inner}1`,
    `1${inner}2`,
    `1e${'9'.repeat(50_000)}`,
  ]
  const keys = seeds.map(seed => keyOfText(`{"prompt":"a","seed":${seed}}`))
  assert.is(new Set(keys).size, seeds.length)
  assert.is(keyOfText(`{"prompt":"a","seed":${seeds[3]}}`), keys[3])
  assert.is.not(keyOfText(`{"prompt":"a", "seed":${seeds[3]}}`), keys[3])
})

test('a large body has the same key in turns as in one go', async () => {
  const said = (text: string): object => ({ role: 'user', content: [{ type: 'text', text, cache_control: {} }] })
  const pairs = `${'x'.repeat(65_535)}${'😀'.repeat(80_000)}`
  const many = Array.from({ length: 3000 }, (_, at) => said(`${at} "quoted" é`))
  const texts = [
    JSON.stringify({ messages: [said(pairs)], user: 'me' }),
    JSON.stringify({ messages: [said(`x${pairs}`)] }),
    JSON.stringify({ messages: many, session_id: 's', tools: [{ id: 1 }] }, null, 1),
    JSON.stringify({ messages: many, x: Object.fromEntries(many.map((value, at) => [`k${at}`, value])) }),
    `{"seed":12345678901234567890,"x":${JSON.stringify(many)}}`,
    `{"x":${'['.repeat(70_000)}${']'.repeat(70_000)}}`,
    `{"x":{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`).join()}}}`,
  ]
  for (const text of texts) {
    const inTurns = await readyKey(new TestExchange({ model: 'm', prompt: promptFrom(text, dialectOf('messages')) }))
    assert.is(inTurns, keyOfText(text, {}, dialectOf('messages')), text.slice(0, 60))
  }
  assert.is(new Set(texts.map(text => keyOfText(text, {}, dialectOf('messages')))).size, texts.length)
})

test('half an emoji at the edge of what is hashed at once is not any half', async () => {
  const key = (emoji: string): Promise<string> | string =>
    readyKey(new TestExchange({ prompt: promptFrom(JSON.stringify({ x: emoji.repeat(70_000) })) }))
  const odd = (emoji: string): Promise<string> | string =>
    readyKey(new TestExchange({ prompt: promptFrom(JSON.stringify({ x: `a${emoji.repeat(70_000)}` })) }))
  const change = (emoji: string): string => '😀'.repeat(32_764) + emoji
  const keys = [await key('😀'), await key('😁'), await odd('😀'), await odd('😁')]
  for (let at = 0; at < 8; at++)
    for (const emoji of ['😀', '😁']) {
      const text = `${'a'.repeat(at)}${change(emoji)}${'😀'.repeat(60_000)}`
      keys.push(await readyKey(new TestExchange({ prompt: promptFrom(JSON.stringify({ x: text })) })))
    }
  assert.is(new Set(keys).size, keys.length - 0)
})

test('the key survives a restart', () => {
  assert.is(
    keyOf({ prompt: 'Hello' }, { namespace: 'native' }),
    '0c4a0823523ef0e4bbf4ce0c835107d761038fd0f6ea4f4ef46bc8b888b45e6a',
  )
})

/** Keys as stores have them. Whoever changes one has to raise the version in it. */
const STORED: Readonly<Record<string, string>> = {
  'chat-completions': '1b4e8b4f3f89e15431e9912a967a2a17ccbe075629f3fd8ac4f43715226db4b2',
  messages: '4ad665162df849989c3484ea339c25393ecbef8163b9e47a56e941f14787097f',
  responses: '03ac23c585ac17a2cb25dfdf8dc94419c99de8a385cf2a6b754ceb8a05860494',
  native: 'f24cdd978bdb58b6ab0b793405d8d7d5035d65c0ee066054d7b8acd5e4657643',
}

test('rich bodies of every dialect keep their keys', () => {
  const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'b, a,a' }
  for (const [name, key] of Object.entries(STORED))
    assert.is(keyIn(name, sampleOf(name), { namespace: name, headers }), key, name)
})

test('the legacy key is the hash of the bare prompt', () => {
  assert.is(promptHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test.run()
