import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFAULT_PIPELINE, type Reply, startGateway, type TestGateway } from '../support/gateway.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** Names that would meet if any of the parts of a key were joined, cut, unescaped or folded. */
const NAMESPACES = ['a', 'a:b', 'a","b', 'chat-completions\u0000', 'deflector:vectors:l1b:', '[null]', 'A', 'a*']
const LABELS = ['a', 'b', 'a:b', 'b","a', 'null', '', 'x'.repeat(5000), 'x'.repeat(5001), 'a\u0000', '\ud800']
const SESSIONS = [
  undefined,
  'a',
  'b',
  'a:b',
  'b","a',
  'null',
  '\u0000',
  'a\u0000',
  'a ',
  '\ud800',
  '\ud801',
  'x'.repeat(512),
]

interface Asker {
  readonly namespace: number
  readonly label: number
  readonly session: string | undefined
}

/** Every name beside plain ones: askers that differ in one part, or in several. */
const ASKERS: readonly Asker[] = [
  ...NAMESPACES.flatMap((_, namespace) => [0, 1].map(label => ({ namespace, label, session: undefined }))),
  ...LABELS.flatMap((_, label) => (label === 5 ? [] : [{ namespace: 1, label, session: 'a' }])),
  ...SESSIONS.flatMap(session => [2, 3, 4].map(label => ({ namespace: 2, label, session }))),
]

const CHAT = '/v1/chat/completions'
const ASKED = 'What does the HTTP status code 404 mean?'
const IN_OTHER_WORDS = 'What does the 404 HTTP status code mean?'
const layerOf = ({ headers }: Reply): string | null => headers.get('x-service-layer')

interface Bench {
  readonly upstream: Upstream
  readonly server: RedisServer
  readonly one: TestGateway
  readonly two: TestGateway
  ask(
    gateway: TestGateway,
    asker: Asker,
    prompt: string,
    more?: object,
  ): Promise<{ layer: string | null; text: string }>
}

const keyOf = (label: number): string => `key-${label}`

/** The shipped pipeline, with a surface for each namespace. */
function pipelineWith(namespaces: readonly string[], folder: string): string {
  const surfaces = namespaces.map(
    (namespace, i) =>
      `  odd-${i}: { flow: chat, use: chat-completions, options: { namespace: ${JSON.stringify(namespace)}, when_headers: [x-odd-${i}] } }\n`,
  )
  const file = join(folder, 'pipeline.yaml')
  const shipped = readFileSync(DEFAULT_PIPELINE, 'utf8')
  writeFileSync(file, shipped.replace('  messages:', `${surfaces.join('')}  messages:`).replace(/^# yaml-lang.*\n/, ''))
  return file
}

const bench = (run: (bench: Bench) => Promise<void>) => async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'deflector-isolation-'))
  const upstream = await startUpstream()
  const server = await startRedis()
  const labels = LABELS.map((label, i) => ({ key: keyOf(i), label })).filter(({ label }) => label !== '')
  const start = () =>
    startGateway({
      upstream,
      pipeline: pipelineWith(NAMESPACES, folder),
      settings: {
        SERVICE__CACHE_MODE: 'both',
        SERVICE__CACHE_BACKEND: 'redis',
        SERVICE__SEMANTIC_CACHE__STORE: 'redis',
        SERVICE__REDIS_URL: server.url,
        SERVICE__GATEWAY_API_KEYS: JSON.stringify(labels),
      },
    })
  const gateways = [await start(), await start()] as const
  try {
    await run({
      upstream,
      server,
      one: gateways[0],
      two: gateways[1],
      async ask(gateway, { namespace, label, session }, prompt, more = {}) {
        const body = {
          model: 'm',
          messages: [{ role: 'user', content: prompt }],
          ...(session !== undefined && { session_id: session }),
          ...more,
        }
        const headers = { authorization: `Bearer ${keyOf(label)}`, [`x-odd-${namespace}`]: '1' }
        const reply = await gateway.post(CHAT, body, headers)
        assert.is(reply.status, 200, reply.text)
        return { layer: layerOf(reply), text: reply.json.choices[0].message.content }
      },
    })
  } finally {
    for (const gateway of gateways) await gateway.close()
    await upstream.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function keysIn(server: RedisServer, pattern: string): Promise<string[]> {
  const names = await server.command('KEYS', pattern)
  assert.ok(Array.isArray(names))
  return names.map(String)
}

test(
  'no name of a namespace, key or session leads to what another one stored, by the same words or by others',
  bench(async ({ upstream, server, one, two, ask }) => {
    const own = new Map<Asker, string>()
    for (const asker of ASKERS) {
      const { layer, text } = await ask(one, asker, ASKED)
      assert.is(layer, 'l3', JSON.stringify(asker))
      own.set(asker, text)
    }
    assert.is(new Set(own.values()).size, ASKERS.length, 'each got an answer of its own')
    await until('all is stored', async () => (await keysIn(server, 'deflector:answers:*')).length === ASKERS.length)
    await until(
      'and known by likeness',
      async () => (await ask(two, ASKERS[0] as Asker, IN_OTHER_WORDS)).layer === 'l1b',
    )
    const calls = upstream.calls.length
    for (const asker of ASKERS.slice(1)) {
      assert.equal(await ask(two, asker, ASKED), { layer: 'l1a', text: own.get(asker) })
      await until('its own likeness is known', async () => (await ask(two, asker, IN_OTHER_WORDS)).layer !== 'l3')
      assert.is((await ask(two, asker, IN_OTHER_WORDS)).text, own.get(asker))
    }
    assert.is(upstream.calls.length, calls)
    for (const name of await keysIn(server, '*')) {
      assert.match(
        name,
        /^deflector:(answers:[0-9a-f]{64}|vectors(:l1b:[0-9a-f]{16}:[0-9a-f]{64}:[\w-]{43}|~written:l1b:[0-9a-f]{16}:))$/,
      )
    }
  }),
)

test(
  'one principal cannot name another in its request',
  bench(async ({ one, two, ask }) => {
    const victim: Asker = { namespace: 1, label: 0, session: 'a' }
    const secret = await ask(one, victim, ASKED)
    await until('it is known', async () => (await ask(two, victim, IN_OTHER_WORDS)).layer !== 'l3')
    const thief: Asker = { namespace: 1, label: 1, session: undefined }
    const facts = JSON.stringify([2, NAMESPACES[1], 'm', 'a', 'a'])
    const tries: object[] = [
      { session_id: 'a' },
      { session_id: 'a","a' },
      { session_id: facts.slice(1, -1) },
      { thread_id: 'a', tenant: 'a', principal: 'a', namespace: NAMESPACES[1] },
      { metadata: { session_id: 'a', tenant: 'a', principal: 'a' } },
      { user: 'a', model: 'm","a","a' },
      { model: 'm\u0000a' },
      { tenant: 'a' },
    ]
    for (const more of tries) {
      for (const prompt of [ASKED, IN_OTHER_WORDS]) {
        assert.is.not((await ask(two, thief, prompt, more)).text, secret.text, JSON.stringify(more))
      }
    }
  }),
)

test(
  "what lies under one asker's key is read by no other, even where somebody copied it there",
  bench(async ({ server, one, two, ask }) => {
    const [mine, theirs]: readonly Asker[] = [
      { namespace: 0, label: 0, session: undefined },
      { namespace: 0, label: 1, session: undefined },
    ]
    assert.ok(mine && theirs)
    const secret = await ask(one, mine, ASKED)
    await until('it is stored', async () => (await keysIn(server, 'deflector:vectors:*')).length === 1)
    const before = await keysIn(server, '*')
    await ask(one, theirs, ASKED)
    await until('so is theirs', async () => (await keysIn(server, 'deflector:vectors:*')).length === 2)
    await until('and the exact one', async () => (await keysIn(server, 'deflector:answers:*')).length === 2)
    for (const to of await keysIn(server, '*')) {
      if (before.includes(to)) continue
      const from = before.find(name => name.slice(0, 15) === to.slice(0, 15)) ?? ''
      assert.is(await server.command('COPY', from, to, 'REPLACE'), 1)
    }
    for (const gateway of [one, two]) {
      for (const prompt of [ASKED, IN_OTHER_WORDS]) {
        assert.is.not((await ask(gateway, theirs, prompt, { user: 'x' })).text, secret.text)
      }
    }
  }),
)

test.run()
