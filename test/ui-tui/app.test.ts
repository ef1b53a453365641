import { render } from 'ink-testing-library'
import { createElement } from 'react'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { App } from '../../ui-tui/app.tsx'
import type { Follower, LiveRequest, Source } from '../../ui-tui/source.ts'
import { Watch } from '../../ui-tui/watch.ts'
import { opened } from '../support/opened.ts'
import { until } from '../support/until.ts'

const request = (id: string, more: Partial<LiveRequest> = {}): LiveRequest => ({
  ...{ id, time: '2026-01-01T12:00:00.000Z', layer: 'l1a', status: 200, ms: 2, model: 'gpt-4o', provider: null },
  ...{ client: 'aider', tool: 'aider', error: null, saved: 12, key: null, tags: [], cost_usd: 0, ...more },
})

/** Where the operator sits. It has no summer time. */
process.env.TZ = 'Asia/Kolkata'

const soon = new Date(Date.now() + 3_600_000).toISOString()
const soonThere = new Date(Date.parse(soon) + 330 * 60_000).toISOString().slice(11, 19)
const key = { masked_key: 'sk-a…9f', label: 'first', requests_total: 9, rate_limit_total: 2 }

const spender = (estimated_cost_usd: number | null, names: Readonly<Record<string, string>>) => ({
  ...{ ...names, estimated_cost_usd, estimated_saved_cost_usd: 0.5 },
  ...{ requests_total: 7, deflected_total: 2, total_tokens: 1234 },
})

/** What a gateway replies, by path. */
const REPLIES: Readonly<Record<string, unknown>> = {
  '/debug/stats/prompts?limit=0': {
    ...{ total_prompts: 1234, total_deflected_prompts: 617, by_layer: { l1a: 617, l3: 617 } },
    ...{ by_client: { aider: 1000, direct: 234 }, by_tool: { aider: 1000, curl: 234 } },
  },
  '/debug/stats/layers': {
    layers: [{ name: 'exact-cache', label: 'l1a', asked: 1000, answered: 500, p50_ms: 0.25, p99_ms: 1.5 }],
  },
  '/api/admin/providers': {
    providers: [
      {
        ...{ name: 'openai', active: true, status: 'failing', model: 'gpt-4o', endpoint: 'https://api.example.com' },
        ...{ requests_total: 617, errors_total: 3, latency_ms: 1800, first_token_ms: 420, circuit: 'closed' },
        ...{ keys: [{ ...key, status: 'cooling_down', cooldown_until: soon }], last_error: soon },
        last_error_message: 'a 429\u001b[2J\u0007 of the vendor',
      },
    ],
  },
  '/api/admin/process': { uptime_secs: 7_500, generation: 3, memory_bytes: 99 << 20, loop_delay_ms: null },
  '/api/admin/overview': {
    ...{ version: '1.2.3', total_requests: 1234, estimated_cost_usd: 1.5, estimated_saved_cost_usd: 2.25 },
    ...{ l1a_entries: 40, l1b_entries: 30, offline_mode: false, quota_warnings: ['openai is at 90 %'] },
  },
  '/debug/stats/agents': { agents: {} },
  '/api/admin/usage/breakdown?by=principal': {
    window_hours: 24,
    rows: [spender(1, { principal: 'dave' }), spender(3, { principal: 'carol' })],
  },
  '/api/admin/usage/breakdown?by=model': {
    window_hours: 24,
    rows: [spender(null, { provider: 'openai', model: 'gpt-4o' })],
  },
  '/api/admin/usage/breakdown?by=tag': { window_hours: 24, rows: [] },
  '/api/admin/requests?limit=200': { entries: [] },
  '/api/admin/requests/one': {
    ...{
      source: 'memory',
      request_id: 'one',
      timestamp: '2026-01-01T12:00:00.000Z',
      surface: 'native',
      client: 'aider',
    },
    ...{ tool: 'aider', endpoint_family: 'native', final_layer: 'l1a', resolved_by: 'exact-cache', deflected: true },
    ...{ latency_ms: 2, trail: [{ hook: 'answer', layer: 'exact-cache', ms: 0.3, outcome: 'hit' }], attempts: [] },
  },
}

/** A gateway that replies as above, can be away, and tells of requests. */
class Gateway implements Source {
  away = false
  follower: Follower | undefined
  address = (): string => 'http://127.0.0.1:8080'
  ask: Source['ask'] = async (shape, { path }) => {
    if (this.away) throw new Error('the gateway at http://127.0.0.1:8080 cannot be reached')
    const reply = REPLIES[path]
    if (reply === undefined) throw new Error('no request of this id is kept')
    return shape.parse(reply)
  }
  async follow(follower: Follower, signal: AbortSignal): Promise<void> {
    this.follower = follower
    follower.connected()
    await new Promise(resolve => signal.addEventListener('abort', resolve))
  }
}

interface Shown {
  readonly gateway: Gateway
  press(keys: string): void
  shows(pattern: RegExp): Promise<void>
  frame(): string
  resize(columns: number): void
}

function show(): Shown {
  const gateway = new Gateway()
  const over = new AbortController()
  const watch = new Watch(gateway, 50)
  const app = render(createElement(App, { source: gateway, watch, suspend: () => {} }))
  const watching = watch.run(over.signal)
  opened(async () => {
    over.abort()
    app.unmount()
    await watching
  })
  const frame = (): string => app.lastFrame() ?? ''
  return {
    gateway,
    frame,
    press: keys => app.stdin.write(keys),
    resize: columns => {
      Object.defineProperty(app.stdout, 'columns', { value: columns, configurable: true })
      app.stdout.emit('resize')
    },
    shows: pattern =>
      until(`${pattern} is shown`, () => pattern.test(frame())).catch(error => {
        throw new Error(frame(), { cause: error })
      }),
  }
}

test('the overview shows what the endpoints say, and nothing of it in colour alone', async () => {
  const { shows, frame, gateway } = show()
  await shows(/● connected {2}up 2 h 05 min {2}generation 3 {2}v1\.2\.3/)
  await shows(/requests 1,234 .* deflected 617 \(50\.0 %\) {2}saved \$2\.25 {2}spent \$1\.50/)
  await shows(/cached 40 exact, 30 similar {2}memory 99 MiB/)
  await shows(/! quota: openai is at 90 %/)
  await shows(/clients aider 1,000, direct 234/)
  await shows(/l1a +exact-cache +0\.0 +1,000 +500 +50\.0 % +0\.25 ms +1\.50 ms/)
  await shows(/openai \* +✗ failing +gpt-4o +420 ms +1\.8 s +617 +3 1\/1 keys (?:59|60) min/)
  await shows(/no request yet/)
  gateway.follower?.request(request('one'))
  gateway.follower?.request(
    request('two', { layer: 'l3', status: 502, error: 'upstream', model: 'evil\u001b[2J\nname' }),
  )
  gateway.follower?.missed(7)
  await shows(/17:30:00 l3 +502 +2 ms aider +aider +evil \[2J name +✗ upstream/)
  await shows(/17:30:00 l1a +200 +2 ms aider +aider +gpt-4o +✓ saved 12 tok/)
  await shows(/7 too fast to show/)
  assert.is(frame().split('\n').length, 24)
})

test('keys filter, sort, open a story and its end, and change tabs', async () => {
  const { shows, frame, press, gateway } = show()
  await shows(/● connected/)
  for (const one of [request('one'), request('two', { ms: 900, client: 'codex', tool: 'codex' })])
    gateway.follower?.request(one)
  await shows(/codex/)
  press('/aider')
  await shows(/\/aider█/)
  press('\r')
  await shows(/filter: aider/)
  assert.not.match(frame(), / codex /)
  press('\r')
  await shows(/answered by exact-cache \(l1a\) after 2\.00 ms, without a vendor call/)
  press('q')
  await shows(/filter: aider/)
  press('\u001b')
  await shows(/codex/)
  press('2sss')
  await shows(/ code▼ /)
  press('s')
  await shows(/took▼/)
  assert.match(frame(), /> 17:30:00 l1a +200 +900 ms/)
  press('r')
  await shows(/> 17:30:00 l1a +200 +2 ms/)
  press('4')
  await shows(/key 1 +sk-a…9f \(first\), cooling down until .*\(3,[56]\d\d s left\), 9 calls, 2 rate/)
  assert.match(frame(), new RegExp(`until (?:\\w+ \\d+ )?${soonThere} \\(`))
  assert.match(frame(), /last error .* a 429 \[2J of the vendor/)
  press('?')
  await shows(/another tab/)
  press('q')
  press('5')
  await shows(/TOOL .* average retries errors/)
})

test('a wide terminal shows who asked and what it cost, and the filter finds it, but leaves the layers alone', async () => {
  const { shows, frame, press, resize, gateway } = show()
  await shows(/● connected/)
  gateway.follower?.request(request('one'))
  gateway.follower?.request(
    request('two', { layer: 'l3', provider: 'openai', key: 'carol', cost_usd: 0.0125, ms: 900, client: 'codex' }),
  )
  await shows(/codex/)
  assert.not.match(frame(), /carol|cost/, 'a narrow one has the columns that it had')
  resize(120)
  await shows(/took +cost +key +client +tool +model/)
  await shows(/900 ms +\$0\.0125 carol +codex/)
  assert.not.match(frame(), / tags /)
  gateway.follower?.request(request('three', { key: 'dave', tags: ['team=search', 'nightly'] }))
  resize(150)
  await shows(/key +client +tool +tags +model/)
  await shows(/dave +aider +aider +team=search, nightly +gpt-4o/)
  press('/CAROL')
  await until('the others are left out', () => !/dave/.test(frame()))
  await shows(/carol +codex/)
  press('\u007f\u007f\u007f\u007f\u007fnightly\r')
  await shows(/dave +aider/)
  assert.not.match(frame(), /carol/)
  press('3')
  await shows(/\[3 Layers\][\s\S]*l1a +exact-cache/)
  assert.not.match(frame(), /nothing matches|filter: /)
  press('/')
  press('2')
  await shows(/filter: nightly/)
})

test('the tab Usage tells who spent the most: by gateway key, model or tag', async () => {
  const { shows, press, frame } = show()
  await shows(/● connected/)
  press('6')
  await shows(/> carol +\$3\.00 +75\.0 % +\$0\.5000 +7 +2 +1,234\n {2}dave +\$1\.00 +25\.0 %/)
  await shows(/spent by \[gateway key\] model tag \(b: the next\), last 24 hours/)
  press('/dav\r')
  await shows(/> dave/)
  assert.not.match(frame(), /carol/)
  press('\u001b')
  await shows(/carol/)
  press('b')
  await shows(/MODEL[\s\S]*> openai\/gpt-4o +unknown +-/)
  press('b')
  await shows(/no request had a tag/)
  assert.is(frame().split('\n').length, 24)
})

test('without books the tab Usage says why it is empty', async () => {
  const { shows, press, gateway } = show()
  await shows(/● connected/)
  gateway.away = true
  press('6')
  await shows(/GATEWAY KEY[\s\S]*the gateway at \S+ cannot be reached/)
})

test('a gateway that is away is told with the reason, its figures stay, and it comes back', async () => {
  const { shows, gateway } = show()
  await shows(/● connected/)
  gateway.away = true
  await shows(/✗ lost \d s ago, connecting again: the gateway at/)
  await shows(/requests 1,234/)
  gateway.away = false
  await shows(/● connected/)
})

test.run()
