import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { startUpstream } from '../../support/upstream.ts'
import { inShell } from './command.ts'
import { FREE, up } from './gateway.ts'

test(
  'stats, logs and explain tell of the requests of the running gateway',
  inShell(async shell => {
    const { url } = await up(shell, ['--demo', ...FREE])
    const ask = async () =>
      fetch(`${url}/api/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'curl/8' },
        body: JSON.stringify({ prompt: 'what is 2+2?' }),
      })
    await (await ask()).text()
    const hit = await ask()
    await hit.text()
    const id = hit.headers.get('x-service-request-id') ?? ''
    await until('both are over', async () => (await fetch(`${url}/api/admin/requests/${id}`)).ok)

    const stats = await shell.run(['stats'])
    assert.match(stats.stdout, /^2 requests since the start, 1 deflected \(50\.0 %\)$/m)
    assert.match(stats.stdout, /^l1a +1 +50\.0 %$/m)
    const tools = await shell.run(['stats', '--by-tool'])
    assert.match(tools.stdout, /^curl +2 +1 +1 +1\/2 +50\.0 % +- +- +\d+ ms +0 +0$/m)
    const counted = JSON.parse((await shell.run(['stats', '--by-tool', '--json'])).stdout)
    assert.equal([counted.curl.cache_hits, counted.curl.l1a_safety_ratio], [1, 0.5])
    const logs = await shell.run(['logs', '--requests', '--layer', 'l1a'])
    assert.match(logs.stdout, new RegExp(`${id} +l1a +200 .*curl.*/api/chat`))
    assert.match(logs.stdout, /from memory; enable_request_logs/)
    const told = await shell.run(['explain', id])
    assert.match(told.stdout, /^answered by exact-cache \(l1a\) after .*, without a vendor call$/m)
    assert.match(told.stdout, /^answer +exact-cache +[\d.]+ ms +hit$/m)
    assert.match(told.stdout, /^saved \d+ tokens$/m, 'the demo has no price')
    const unknown = await shell.run(['explain', 'nothing'])
    assert.is(unknown.code, 1)
    assert.match(unknown.stderr, 'no request of this id is kept')
  }),
)

test(
  'logs are narrowed by client, tool, model, key and tag, and explain says what a request cost',
  inShell(async shell => {
    const settings = {
      SERVICE__GATEWAY_API_KEYS: JSON.stringify([
        { key: 'key-of-ann-01', label: 'ann', admin: true },
        { key: 'key-of-bob-01', label: 'bob' },
      ]),
    }
    const gateway = await startGateway({ upstream: await startUpstream(), settings })
    const ask = (key: string, model: string, agent: string, tags: string) =>
      gateway.post(
        '/v1/chat/completions',
        { model, messages: [{ role: 'user', content: 'a crane?' }] },
        { 'x-api-key': key, 'user-agent': agent, 'x-service-tags': tags },
      )
    const miss = await ask('key-of-ann-01', 'gpt-4o', 'aider/1', 'nightly')
    await ask('key-of-bob-01', 'gpt-4o-mini', 'curl/8', 'release')
    const flags = ['--gateway-url', gateway.url, '--gateway-api-key', 'key-of-ann-01', '--json']
    const keysOf = async (...filter: readonly string[]): Promise<string[]> =>
      JSON.parse((await shell.run(['logs', ...filter, ...flags])).stdout).map(
        ({ principal }: { readonly principal: string }) => principal,
      )
    for (const filter of [
      ['--client', 'aider'],
      ['--tool', 'aider'],
      ['--key', 'ann'],
      ['--tag', 'nightly'],
    ])
      assert.equal(await keysOf(...filter), ['ann'], filter.join(' '))
    assert.equal(await keysOf('--model', 'mini'), ['bob'])
    assert.equal(await keysOf('--status', '2'), ['bob', 'ann'])
    const told = await shell.run(['explain', miss.headers.get('x-service-request-id') ?? '', ...flags.slice(0, -1)])
    assert.match(told.stdout, /^cost \$0\.\d+$/m)
    assert.match(told.stdout, /^vendor call .* out +cost$/m)
    assert.match(told.stdout, /^openai .* answered .* \$0\.\d+$/m)
    for (const limit of ['many', '0', '-1', '1.5', '1001', '1e2', '']) {
      const { code, stderr } = await shell.run(['logs', '--limit', limit, ...flags])
      assert.equal([code, stderr], [1, 'deflector: --limit: must be a whole number from 1 to 1000\n'], limit)
    }
    const refused = await shell.run(['logs', '--status', 'many', ...flags])
    assert.match(refused.stderr, '--status: must be a status')
  }),
)

const LONG = 'm'.repeat(200)

test(
  'explain names the fields that a provider was not told',
  inShell(async shell => {
    const settings = {
      SERVICE__GATEWAY_API_KEYS: JSON.stringify([{ key: 'key-of-ann-01', label: 'ann', admin: true }]),
      SERVICE__EXTERNAL_LLM_API_KEY: '',
      SERVICE__PROVIDER_KEYS: JSON.stringify([{ key: 'sk-of-the-backup', label: 'backup' }]),
    }
    const gateway = await startGateway({ upstream: await startUpstream(), settings })
    const asked = { max_tokens: 9, top_k: 4, messages: [{ role: 'user', content: 'a crane?' }] }
    const reply = await gateway.post('/v1/messages', { model: LONG, ...asked }, { 'x-api-key': 'key-of-ann-01' })
    const id = reply.headers.get('x-service-request-id') ?? ''
    const told = await shell.run(['explain', id, '--gateway-url', gateway.url, '--gateway-api-key', 'key-of-ann-01'])
    assert.match(told.stdout, /^openai was not told of: top_k$/m)
    assert.match(told.stdout, /^client .*, key ann, /m)
    assert.match(told.stdout, /^openai +backup +m+.* +answered/m)
    const logs = await shell.run(['logs', '--gateway-url', gateway.url, '--gateway-api-key', 'key-of-ann-01'])
    assert.match(logs.stdout, /^time.* key /m)
    assert.match(logs.stdout, new RegExp(`^.* ${id} .* ann `, 'm'))
    assert.match(told.stdout, new RegExp(`^client .*, model ${LONG}$`, 'm'), 'a pipe gets all of it')
  }),
)

test.run()
