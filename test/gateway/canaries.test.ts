import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { type Place, Places } from '../support/canaries.ts'
import { startCollector } from '../support/collector.ts'
import { until } from '../support/until.ts'
import { type Script, startUpstream } from '../support/upstream.ts'
import { inShell, type Shell } from '../surfaces/cli/command.ts'
import { FREE, up } from '../surfaces/cli/gateway.ts'

/** None has the shape of a key: what takes them out has to know them. */
const CANARIES = {
  'the gateway key': 'zulGateway7Kx91mQv',
  'the key of a team': 'zulTeam4Rt82bNwe',
  'a key that is none of ours': 'zulStranger6Yh30pLd',
  'the key of the settings': 'zulVendor3Wq57cJsa',
  'the stored key': 'zulStored8Fg14xTbo',
  'a key that the operator adds': 'zulAdded2Mn69vKri',
  'a prompt': 'quellmoorzubatkov',
  'an answer': 'fennbruchtarnowitz',
} as const
type Canary = keyof typeof CANARIES

const PROMPT = CANARIES['a prompt']
const ANSWER = CANARIES['an answer']

/** All places in which each canary is found. One that is missing is a leak, one too many a rule that nothing needs. */
const WHERE: Readonly<Record<Canary, readonly Place[]>> = {
  'the gateway key': [],
  'the key of a team': [],
  'a key that is none of ours': [],
  'the key of the settings': ['sent to the primary'],
  'the stored key': ['sent to the fallback'],
  'a key that the operator adds': ['file work/service.toml', 'sent to the primary'],
  'a prompt': [
    // The operator asks about this prompt, and is told which stored ones are near.
    'reply POST /api/admin/cache/why',
    'sent to the primary',
    'sent to the fallback',
    'reply to its own client',
    'file data/request_logs/requests.jsonl',
    'reply GET /api/admin/requests',
    'reply GET /api/admin/requests/{id}',
    'deflector logs --json',
  ],
  'an answer': [
    'reply to its own client',
    'file data/request_logs/requests.jsonl',
    'reply GET /api/admin/requests',
    'reply GET /api/admin/requests/{id}',
    'deflector logs --json',
  ],
}

const found = (places: Places): Record<string, readonly Place[]> =>
  Object.fromEntries(Object.entries(CANARIES).map(([name, canary]) => [name, [...places.holding(canary)].sort()]))
const sorted = (where: typeof WHERE): Record<string, readonly Place[]> =>
  Object.fromEntries(Object.entries(where).map(([name, places]) => [name, [...places].sort()]))

/** Repeats the key that it was sent in every failure, and the prompt where it refuses that. */
const script: Script = ({ body, headers, path }) => {
  const asked = JSON.stringify(body ?? {})
  const key = String(headers.authorization ?? headers['x-api-key'] ?? '').replace('Bearer ', '')
  const says = (status: number, type: string, more: object = {}) => ({
    status,
    json: { error: { message: `${type}: the key ${key} of this call`, type, code: type, details: { key }, ...more } },
  })
  if (asked.includes('bad request')) return says(400, 'invalid_request_error', { message: `no: ${PROMPT} (${key})` })
  if (asked.includes('no such model')) return says(404, 'model_not_found')
  if (asked.includes('unauthorised')) return says(401, 'invalid_api_key')
  if (asked.includes('limited')) return says(429, 'rate_limit_exceeded')
  if (asked.includes('broken')) return says(500, 'server_error')
  if (asked.includes('a page')) return { status: 502, raw: `<html>${key}</html>` }
  if (asked.includes('no json')) return { garbage: `${key} ${ANSWER}` }
  if (asked.includes('silence')) return { silent: true }
  if (asked.includes('cut off')) return { text: ANSWER.repeat(9), dieAfter: 4 }
  if (asked.includes('stalls')) return { text: ANSWER.repeat(9), stallAfter: 4 }
  if (path.endsWith('/embeddings')) return { json: { data: [{ embedding: [0.5], index: 0 }], model: 'm' } }
  if (path.endsWith('/moderations')) return says(403, 'permission_denied')
  return { text: `${ANSWER} says ${asked.length}`, usage: { input: 9, output: 3 } }
}

interface Ask {
  readonly path: string
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}
const CHAT = '/v1/chat/completions'
const chat = (words: string, more: object = {}): Ask => ({
  path: CHAT,
  body: { model: 'm', messages: [{ role: 'user', content: `${words} ${PROMPT}` }], ...more },
})

const FAULTS = ['bad request', 'no such model', 'unauthorised', 'broken', 'a page', 'no json', 'cut off', 'limited']
const ASKS: readonly Ask[] = [
  chat('What is a heron in'),
  chat('What is a heron in'),
  chat('Please, what is a heron in'),
  chat('What is an ibis in', { stream: true }),
  chat('What is an ibis in', { stream: true }),
  { path: '/api/chat', body: { prompt: `What is a crane in ${PROMPT}` } },
  {
    path: '/v1/messages',
    body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: `What is a stork in ${PROMPT}` }] },
  },
  { path: '/v1/responses', body: { model: 'm', store: false, input: `What is a rail in ${PROMPT}` } },
  {
    path: `/v1beta/models/m:generateContent?key=${CANARIES['the gateway key']}`,
    body: { contents: [{ role: 'user', parts: [{ text: `What is a coot in ${PROMPT}` }] }] },
    headers: { 'x-api-key': '' },
  },
  { path: '/v1/embeddings', body: { model: 'm', input: PROMPT } },
  { path: '/v1/moderations', body: { model: 'm', input: PROMPT } },
  { path: '/v1/messages/count_tokens', body: { model: 'm', messages: [{ role: 'user', content: PROMPT }] } },
  { path: '/api/v1/cache/store', body: { prompt: `a ${PROMPT}`, response: `an ${ANSWER}` } },
  { path: '/api/v1/cache/lookup', body: { prompt: `a ${PROMPT}` } },
  { path: CHAT, body: `{"messages": "${PROMPT}` },
  { path: CHAT, body: { model: 'm', messages: PROMPT } },
  ...FAULTS.map(fault => chat(fault)),
  chat('cut off', { stream: true }),
]

/** Sends it, and keeps what comes back: bodies under `place`, heads apart. Gives the id of the request. */
async function send(
  places: Places,
  url: string,
  { path, body, headers }: Ask,
  place = 'reply to its own client',
): Promise<string> {
  const key = { 'x-api-key': CANARIES['the gateway key'], 'content-type': 'application/json', ...headers }
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  const init = { method: 'POST', body: sent, headers: key, signal: AbortSignal.timeout(60_000) }
  const reply = await fetch(url + path, init)
  places.add('heads of replies', JSON.stringify([...reply.headers]))
  places.add(place, `${reply.status} ${await reply.text()}`)
  return reply.headers.get('x-service-request-id') ?? ''
}

/** Reads, until the gateway ends it. */
async function watch(places: Places, url: string): Promise<{ readonly over: Promise<unknown> }> {
  const headers = { 'x-api-key': CANARIES['the gateway key'] }
  const reply = await fetch(`${url}/api/admin/live`, { headers })
  assert.is(reply.status, 200)
  return { over: reply.text().then(text => places.add('live stream', text)) }
}

/** Leaves once the first words are there. */
async function leave(url: string, ask: Ask): Promise<void> {
  const gone = new AbortController()
  const headers = { 'x-api-key': CANARIES['the gateway key'] }
  const init = { method: 'POST', body: JSON.stringify(ask.body), headers, signal: gone.signal }
  const reply = await fetch(url + ask.path, init)
  await reply.body?.getReader().read()
  gone.abort()
}

const documentShape = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

/** Every page of the operator's, and those that all may read. */
async function readPages(places: Places, url: string, id: string): Promise<void> {
  const document = documentShape.parse(JSON.parse(await (await fetch(`${url}/openapi.json`)).text()))
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => ('get' in methods ? [path] : []))
  const pages = paths.filter(path => /^\/(?:debug|api\/admin|metrics|health|readyz|v1\/models|openapi)/.test(path))
  assert.ok(pages.includes('/api/admin/requests/{id}') && pages.includes('/debug/providers'), pages.join(' '))
  for (const page of pages.filter(path => path !== '/api/admin/live')) {
    const headers = { 'x-api-key': CANARIES['the gateway key'] }
    const reply = await fetch(url + page.replace('{id}', id), { headers })
    places.add('heads of replies', JSON.stringify([...reply.headers]))
    places.add(`reply GET ${page}`, `${reply.status} ${await reply.text()}`)
  }
}

/** What the operator writes, and what of it is refused. */
async function change(places: Places, url: string): Promise<void> {
  const api_key = CANARIES['a key that the operator adds']
  const writes: readonly [string, object][] = [
    ['/api/admin/config', { cache_ttl_secs: 299 }],
    ['/api/admin/config', { fallback_providers: [{ provider: 'groq', api_keys: api_key }] }],
    ['/api/admin/config', { gateway_api_key: [api_key] }],
    ['/api/admin/providers/add', { provider: 'groq', name: 'spare', api_key, url: 'http://127.0.0.1:1/v1' }],
    ['/api/admin/providers/edit', { name: 'spare', api_key, colour: api_key }],
    ['/api/admin/providers/edit', { name: 'spare', model: 'other' }],
    ['/api/admin/providers/test', { provider: 'openai', api_key }],
    ['/api/admin/cache/why', { prompt: `What is a heron in ${PROMPT}` }],
    ['/api/admin/cache/forget', { request_id: 'nobody' }],
  ]
  for (const [path, body] of writes) await send(places, url, { path, body }, `reply POST ${path}`)
}

const COMMANDS: readonly (readonly string[])[] = [
  ['stats', '--usage'],
  ['providers'],
  ['logs', '--json'],
  ['explain', 'ID'],
  ['config', 'show', '--json'],
  ['check'],
]

async function command(places: Places, shell: Shell, args: readonly string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await shell.run(args, env)
  places.add(`deflector ${args[0]}${args.includes('--json') ? ' --json' : ''}`, stdout + stderr)
  return code
}

test(
  'keys stay with their vendors, and prompts with their clients and the request log',
  inShell(async shell => {
    const places = new Places()
    const [primary, fallback, collector] = await Promise.all([startUpstream(), startUpstream(), startCollector()])
    primary.script(script)
    fallback.script(script)
    shell.write(
      'service.toml',
      `[[fallback_providers]]\nprovider = "groq"\nurl = "${fallback.url}"\nmodel = "backup"\n`,
    )
    const env = {
      SERVICE__GATEWAY_API_KEY: CANARIES['the gateway key'],
      SERVICE__GATEWAY_API_KEYS: JSON.stringify([{ key: CANARIES['the key of a team'], label: 'team' }]),
      SERVICE__EXTERNAL_LLM_URL: primary.url,
      SERVICE__EXTERNAL_LLM_API_KEY: CANARIES['the key of the settings'],
      SERVICE__CREDENTIAL_KEYRING: 'false',
      SERVICE__ENABLE_REQUEST_LOGS: 'true',
      SERVICE__ENABLE_METRICS: 'true',
      SERVICE__ENABLE_MONITORING: 'true',
      SERVICE__OTEL_EXPORTER_ENDPOINT: collector.url,
      SERVICE__CACHE_MODE: 'both',
      SERVICE__SEMANTIC_WAIT_MS: '10000',
      SERVICE__WHOLE_ANSWER_SECS: '1',
      SERVICE__L3_TIMEOUT_SECS: '3',
      SERVICE__KEY_COOLDOWN_SECS: '1',
      SERVICE__LOG_LEVEL: 'debug',
    }
    const stored = await shell.run(['set-key', '--provider', 'groq'], env, `${CANARIES['the stored key']}\n`)
    places.add('deflector set-key', stored.stdout + stored.stderr)
    assert.is(stored.code, 0, stored.stderr)
    const { gateway, url } = await up(shell, FREE, env)
    const live = await watch(places, url)

    let id = ''
    for (const ask of ASKS) id = await send(places, url, ask)
    await leave(url, chat('stalls', { stream: true }))
    await send(places, url, chat('silence'))
    const traced = { 'x-service-trace': '1' }
    id = await send(places, url, { ...chat('What is a heron in'), headers: traced })
    const mcp = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'service_chat', arguments: { prompt: PROMPT } },
    }
    const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28' }
    await send(places, url, { path: '/mcp/', body: mcp, headers: accept })
    for (const key of [CANARIES['a key that is none of ours'], ''])
      await send(places, url, { ...chat('What is a heron in'), headers: { 'x-api-key': key } }, 'reply to a stranger')
    const team = { 'x-api-key': CANARIES['the key of a team'] }
    await send(places, url, { ...chat('What is a heron in'), headers: team })
    await send(places, url, { path: '/api/admin/config', body: {}, headers: team }, 'reply to a team')

    await until('the request log has it', () => readLog(shell).includes(id))
    await readPages(places, url, id)
    assert.equal(
      await Promise.all(
        COMMANDS.map(args =>
          command(
            places,
            shell,
            args.map(arg => (arg === 'ID' ? id : arg)),
            env,
          ),
        ),
      ),
      COMMANDS.map(() => 0),
    )
    await change(places, url)
    gateway.child.kill('SIGTERM')
    const { code, stdout, stderr } = await gateway.ended
    assert.is(code, 0)
    await live.over
    places.add('stdout', stdout)
    places.add('stderr', stderr)
    places.add('spans and metrics', collector.bytes())
    places.addFolder(shell.root)
    const sentTo = { primary, fallback }
    for (const [name, { calls }] of Object.entries(sentTo))
      places.add(`sent to the ${name}`, JSON.stringify(calls.map(({ headers, body }) => ({ headers, body }))))
    // What is searched has something in it.
    for (const place of ['stderr', 'live stream', 'spans and metrics', 'reply GET /metrics', 'file data/usage.jsonl'])
      assert.ok(places.text(place).length > 200, place)
    assert.equal(found(places), sorted(WHERE))
  }),
)

/** Asks a vendor, and looks at neither its answer nor its failure. */
const CARELESS = `import { defineLayer } from 'deflector'
import { z } from 'zod'
export default defineLayer({
  name: 'careless',
  options: z.strictObject({}),
  apply({ name, hooks, provider }) {
    const vendor = provider('openai')
    hooks.answer.tapPromise(name, async exchange => {
      const { outgoing: prompt, cancellation } = exchange
      void vendor.attempt(exchange, { prompt, stream: false, key: vendor.keys?.()[0], cancellation })
      return undefined
    })
  },
})
`
const CRASHING = `surfaces:
  http: { options: { host: 127.0.0.1, port: 0 } }
  chat-completions: { flow: chat }
flows:
  chat: [careless, cloud]
layers:
  careless: { use: ./careless.ts }
  cloud: { options: { chain: [openai] } }
providers:
  ...: '\${provider_entries}'
`

for (const format of ['json', 'text'])
  test(
    `a gateway that crashes for a plugin's sake says so without key and prompt, in ${format}`,
    inShell(async shell => {
      const vendor = await startUpstream()
      vendor.script(script)
      shell.write('careless.ts', CARELESS)
      shell.write('crashing.yaml', CRASHING)
      const env = {
        SERVICE__EXTERNAL_LLM_URL: vendor.url,
        SERVICE__EXTERNAL_LLM_API_KEY: CANARIES['the key of the settings'],
        SERVICE__LOG_FORMAT: format,
        SERVICE__LOG_LEVEL: 'debug',
      }
      const { gateway, url } = await up(shell, ['--pipeline', 'crashing.yaml'], env)
      const places = new Places()
      await send(places, url, chat('bad request'), 'a reply that was cut').catch(() => {})
      const { code, stdout, stderr } = await gateway.ended
      assert.is(code, 1)
      assert.match(stderr, /uncaught exception/)
      assert.match(stderr, /ProviderError.*bad_request/)
      places.add('stdout', stdout)
      places.add('stderr', stderr)
      places.addFolder(shell.dataDir)
      const said = places.names.filter(place => place !== 'a reply that was cut')
      for (const canary of Object.values(CANARIES))
        assert.equal(
          said.filter(place => places.holding(canary).includes(place)),
          [],
          stderr,
        )
    }),
  )

const readLog = (shell: Shell): string => readFileSync(join(shell.dataDir, 'request_logs', 'requests.jsonl'), 'utf8')

test.run()
