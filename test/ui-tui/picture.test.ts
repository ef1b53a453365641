import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sorted } from '../../ui-tui/columns.ts'
import { bars, count, duration, localTime, remaining, share, since, usd } from '../../ui-tui/figures.ts'
import { counted, lost, NOTHING, type Picture, rateOf, requestOf, steps, told } from '../../ui-tui/picture.ts'
import type { LiveRequest } from '../../ui-tui/source.ts'
import { holds, requestColumns } from '../../ui-tui/tables.ts'

const prompts = (total: number, l1a: number) => ({
  total_prompts: total,
  total_deflected_prompts: l1a,
  by_layer: { l1a, l3: total - l1a },
  by_client: {},
  by_tool: {},
})

const request = (id: string, time: string, more: Partial<LiveRequest> = {}): LiveRequest => ({
  ...{ id, time, layer: 'l3', status: 200, ms: 10, model: 'm', provider: 'openai' },
  ...{ client: 'direct', tool: 'curl', error: null, saved: 0, key: null, tags: [], cost_usd: null, ...more },
})

test('a rate is that of the last ten seconds, and begins anew with a gateway that counts from 0', () => {
  let picture: Picture = NOTHING
  assert.is(
    rateOf(picture, ({ total }) => total),
    undefined,
  )
  for (let second = 0; second <= 30; second++)
    picture = counted(picture, prompts(second < 20 ? second : 20 + (second - 20) * 5, second), second * 1000)
  assert.is(
    rateOf(picture, ({ total }) => total),
    5,
  )
  assert.is(
    rateOf(picture, ({ byLayer }) => byLayer.l1a ?? 0),
    1,
  )
  assert.is(steps(picture).at(-1), 5)
  const restarted = counted(picture, prompts(3, 0), 40_000)
  assert.is(
    rateOf(restarted, ({ total }) => total),
    undefined,
  )
  assert.is(restarted.prompts?.total_prompts, 3)
})

test('a lost gateway leaves its figures, and is lost since the first failure', () => {
  const once = lost(counted(NOTHING, prompts(7, 1), 0), 'cannot be reached', 1000)
  const twice = lost(once, 'does not answer', 2000)
  assert.equal(twice.connection, { state: 'lost', why: 'does not answer', since: 1000 })
  assert.is(twice.prompts?.total_prompts, 7)
  assert.is(counted(twice, prompts(7, 1), 3000).connection.state, 'connected')
})

test('the feed has each request once, the newest first, and so many', () => {
  const first = told(NOTHING, [request('a', '2026-01-01T00:00:01Z'), request('b', '2026-01-01T00:00:02Z')])
  const again = told(first, [request('b', '2026-01-01T00:00:02Z'), request('c', '2026-01-01T00:00:00Z')])
  assert.equal(
    again.feed.map(({ id }) => id),
    ['b', 'a', 'c'],
  )
  const many = Array.from({ length: 3000 }, (_, at) => request(`${at}`, new Date(at).toISOString()))
  const full = told(NOTHING, many)
  assert.equal([full.feed.length, full.feed[0]?.id], [1000, '2999'])
})

test('a request of the log is one of the feed at the time of its end', () => {
  const entry = {
    ...{ request_id: 'r', timestamp: '2026-01-01T00:00:00.000Z', final_layer: 'l1a', response_status: 200 },
    ...{ latency_ms: 1500, model: null, provider: null, client: 'aider', tool: 'aider', error: null },
    ...{ deflected: true, saved_tokens: 12, cost_usd: 0, principal: 'ann', tags: ['team'] },
  }
  const { time, status, layer, saved, key, tags } = requestOf(entry)
  assert.equal([time, status, layer, saved], ['2026-01-01T00:00:01.500Z', 200, 'l1a', 12])
  assert.equal([key, tags], ['ann', ['team']])
})

test('rows are sorted by a column, numbers the largest first, and turned around', () => {
  const rows = [
    request('a', '', { ms: 1, client: 'zed' }),
    request('b', '', { ms: 30 }),
    request('c', '', { ms: 2, client: 'aider' }),
  ]
  const by = (title: string, reversed = false): string =>
    sorted(
      rows,
      requestColumns(rows).find(column => column.title === title),
      reversed,
    )
      .map(({ id }) => id)
      .join('')
  assert.equal([by('took'), by('took', true), by('client'), by('', true)], ['bca', 'acb', 'cba', 'cba'])
})

test('a filter wants each of its words somewhere', () => {
  const one = request('hg3l1azzzz9', '', {
    layer: 'l3',
    status: 502,
    error: 'upstream',
    key: 'Carol',
    tags: ['team=x'],
  })
  for (const filter of ['l3', 'L3 carol', 'TEAM=x', '502 upstream', '', 'hg3l1azz'])
    assert.ok(holds(one, filter), filter)
  for (const filter of ['l1a', 'l3 codex', '200']) assert.not(holds(one, filter), filter)
})

test('a time is told as the clock of the terminal shows it, with the day where it is another one', () => {
  const zone = process.env.TZ
  process.env.TZ = 'Asia/Kolkata'
  const noon = Date.parse('2026-01-01T12:00:00Z')
  assert.equal(
    [localTime(noon), localTime(noon + 7 * 3_600_000, noon), localTime(noon + 6 * 3_600_000, noon)],
    ['17:30:00', 'Jan 02 00:30:00', '23:30:00'],
  )
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

test('figures keep to few columns', () => {
  assert.equal([count(999), count(1234), count(1_234_567), count(2.5e9)], ['999', '1,234', '1.2M', '2.5G'])
  assert.equal(
    [duration(null), duration(0.234), duration(3), duration(34.6), duration(1234), duration(180_000)],
    ['-', '0.23 ms', '3 ms', '35 ms', '1.2 s', '180 s'],
  )
  assert.equal([share(1, 3), share(3, 3), share(0, 0)], ['33.3 %', '100 %', '-'])
  assert.equal([since(5), since(300), since(7_500), since(200_000)], ['5 s', '5 min', '2 h 05 min', '2 d 7 h'])
  assert.equal(
    [remaining(1), remaining(99_500), remaining(3_600_000), remaining(9e6)],
    ['1 s', '2 min', '60 min', '3 h'],
  )
  assert.equal(
    [usd(0), usd(0.00123), usd(0.0000675), usd(12.345), usd(1234.5), usd(null)],
    [...['$0.00', '$0.0012', '$0.000068', '$12.35', '$1,235', 'unknown']],
  )
  assert.equal([bars([0, 4, 8], 3), bars([1, 2, 3], 2), bars([], 5), bars([0, 0], 2)], [' ▄█', '▆█', '', '  '])
})

test.run()
