import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hostLog } from '../../../../core/host-log.ts'
import { readEvent, type UsageEvent } from '../../../../plugins/observers/usage/event.ts'
import { Ledger } from '../../../../plugins/observers/usage/ledger.ts'
import { ManualClock } from '../../../contracts/clock.ts'
import { opened, tempFolder } from '../../../support/opened.ts'
import { until } from '../../../support/until.ts'
import { sampleEvent } from './sample.ts'

const NOON = Date.UTC(2026, 10, 22, 12)
const DAY_MS = 86_400_000

interface Opened {
  readonly ledger: Ledger
  readonly clock: ManualClock
  readonly warnings: string[]
  book(id: string, more?: Partial<UsageEvent>): Promise<void>
  requests(): number
  close(): Promise<void>
}

async function open(folder: string, clock = new ManualClock(NOON), retentionDays = 30): Promise<Opened> {
  const warnings: string[] = []
  const silent = () => {}
  const warn = (message: string) => void warnings.push(message)
  const log = hostLog({ debug: silent, info: silent, warn, error: warn }, clock)
  const ledger = new Ledger(clock, log, { folder, retentionDays })
  await ledger.start()
  return {
    ledger,
    clock,
    warnings,
    book(id, more) {
      const at = clock.now()
      ledger.book(() => sampleEvent(id, at, more))
      return ledger.settled()
    },
    requests: () => [...ledger.sums.rows('model', 0).values()].reduce((sum, { requests }) => sum + requests, 0),
    close: opened(() => ledger.close()),
  }
}

/** All lines of a file; each must be an event. */
const linesIn = (folder: string, name = 'usage.jsonl'): UsageEvent[] => {
  const text = readFileSync(join(folder, name), 'utf8')
  assert.ok(text === '' || text.endsWith('\n'), 'the last line is whole')
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => {
      const event = readEvent(line)
      assert.ok(event, line)
      return event
    })
}

const idsIn = (folder: string, name?: string): string[] => linesIn(folder, name).map(({ request_id }) => request_id)

test('what was booked is found again after a restart, with all its sums', async () => {
  const folder = tempFolder('ledger')
  const first = await open(folder)
  await first.book('a')
  await first.book('b', { principal: 'ann', tags: ['red'] })
  const sums = (opened: Opened) =>
    (['model', 'principal', 'tag', 'tool', 'layer', 'key'] as const).map(dimension => [
      ...opened.ledger.sums.rows(dimension, 0),
    ])
  const before = sums(first)
  assert.is(before[0]?.[0]?.[1].cost, 1)
  await first.close()
  const second = await open(folder)
  assert.equal(sums(second), before)
  assert.equal(idsIn(folder), ['a', 'b'])
  await second.close()
})

test('without its sums, or with broken ones, a ledger is read from its lines', async () => {
  const folder = tempFolder('ledger')
  const first = await open(folder)
  for (const id of ['a', 'b', 'c']) await first.book(id)
  await first.close()
  const [sums = ''] = readdirSync(folder).filter(name => name.endsWith('.books.json'))
  for (const damage of [() => rmSync(join(folder, sums)), () => truncateSync(join(folder, sums), 20)]) {
    damage()
    const next = await open(folder)
    assert.is(next.requests(), 3)
    await next.close()
  }
})

test('lines are written a moment after the request without anybody asking', async () => {
  const folder = tempFolder('ledger')
  const { ledger, clock, requests, close } = await open(folder)
  const at = clock.now()
  ledger.book(() => sampleEvent('a', at))
  assert.equal(idsIn(folder), [])
  await clock.advance(100)
  await ledger.settled()
  assert.equal([idsIn(folder), requests()], [['a'], 1])
  await close()
})

test('a torn last line is taken off, and the next one begins a line of its own', async () => {
  const folder = tempFolder('ledger')
  const first = await open(folder)
  await first.book('a')
  await first.close()
  appendFileSync(join(folder, 'usage.jsonl'), '{"timestamp":"2026-11-22T12:00:00.000Z","request_id":"torn')
  const other = join(folder, 'other.jsonl')
  writeFileSync(other, '{"torn')
  const second = await open(folder)
  await second.book('b')
  assert.equal(idsIn(folder), ['a', 'b'])
  assert.is(second.requests(), 2)
  assert.is(readFileSync(other, 'utf8'), '{"torn', 'a file of somebody else stays as it is')
  await second.close()
})

test('each day has a file, and days beyond the retention are deleted', async () => {
  const folder = tempFolder('ledger')
  const { clock, book, requests, close } = await open(folder, new ManualClock(NOON), 2)
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    await book(id)
    await clock.advance(DAY_MS)
  }
  const files = readdirSync(folder).filter(name => name.endsWith('.jsonl'))
  assert.equal(files.sort(), ['usage.2026-11-24.jsonl', 'usage.2026-11-25.jsonl', 'usage.jsonl'])
  assert.equal(idsIn(folder, 'usage.2026-11-25.jsonl'), ['d'])
  assert.is(requests(), 3)
  await close()
  const next = await open(folder, new ManualClock(clock.now() - DAY_MS), 2)
  assert.is(next.requests(), 3)
  await next.close()
})

test('a log goes only when its last line is too old: merged and restored ones begin with older lines', async () => {
  const hours = (...before: readonly number[]): string =>
    before.map(hour => `${JSON.stringify(sampleEvent(`${hour}h`, NOON - hour * 3_600_000))}\n`).join('')
  for (const name of ['usage.jsonl', 'usage-2.jsonl', 'usage.2026-11-18.jsonl']) {
    const folder = tempFolder('ledger')
    writeFileSync(join(folder, name), hours(90, 5, 1))
    writeFileSync(join(folder, 'usage.2026-11-17.jsonl'), hours(110))
    const { clock, book, requests, close } = await open(folder, new ManualClock(NOON), 2)
    assert.equal(idsIn(folder, name), ['90h', '5h', '1h'], name)
    assert.not.ok(existsSync(join(folder, 'usage.2026-11-17.jsonl')))
    if (name === 'usage.jsonl') assert.is(requests(), 3)
    await clock.advance(DAY_MS)
    await book('next')
    const ids = readdirSync(folder).flatMap(file => (file.endsWith('.jsonl') ? idsIn(folder, file) : []))
    assert.ok(ids.includes('1h'), name)
    await clock.advance(2 * DAY_MS)
    await book('last')
    await close()
    // Another writer's files are looked at now and then, or with the next start.
    await (await open(folder, clock, 2)).close()
    const left = readdirSync(folder).flatMap(file => (file.endsWith('.jsonl') ? idsIn(folder, file) : []))
    assert.equal(left.toSorted(), ['last', 'next'], name)
  }
})

test('requests on both sides of midnight are in the files of their days', async () => {
  const folder = tempFolder('ledger')
  const midnight = Date.UTC(2026, 10, 23)
  const { ledger, close, requests } = await open(folder, new ManualClock(midnight - 10))
  for (const [id, at] of [
    ['before', midnight - 5],
    ['after', midnight + 5],
  ] as const)
    ledger.book(() => sampleEvent(id, at))
  await ledger.settled()
  assert.equal([idsIn(folder, 'usage.2026-11-22.jsonl'), idsIn(folder)], [['before'], ['after']])
  await close()
  const next = await open(folder, new ManualClock(midnight + 10))
  assert.is(next.requests(), requests())
  await next.close()
})

test('a day that ended while nothing ran becomes a file of its own', async () => {
  const folder = tempFolder('ledger')
  const first = await open(folder)
  await first.book('a')
  await first.close()
  const second = await open(folder, new ManualClock(NOON + 3 * DAY_MS))
  await second.book('b')
  assert.equal([idsIn(folder, 'usage.2026-11-22.jsonl'), idsIn(folder)], [['a'], ['b']])
  assert.is(second.requests(), 2)
  await second.close()
})

test('a clock that is set back moves no request to another file, and loses none', async () => {
  const folder = tempFolder('ledger')
  const { clock, book, requests, close } = await open(folder)
  await book('a')
  clock.set(-2 * DAY_MS)
  await book('b')
  assert.equal([idsIn(folder), requests()], [['a', 'b'], 2])
  await close()
  const next = await open(folder)
  assert.is(next.requests(), 2)
  await next.close()
})

test('two writers in one folder have a file each', async () => {
  const folder = tempFolder('ledger')
  const first = await open(folder)
  const second = await open(folder)
  await Promise.all([first.book('a'), second.book('b')])
  assert.equal([idsIn(folder), idsIn(folder, 'usage-2.jsonl')], [['a'], ['b']])
  assert.match(second.warnings.join(), /another process/)
  await first.close()
  const third = await open(folder)
  assert.is(third.requests(), 1)
  await Promise.all([second.close(), third.close()])
  assert.equal(
    readdirSync(folder).filter(name => name.endsWith('.lock')),
    [],
  )
})

test('the lock of a process that is gone is taken over, that of a living one is not', async () => {
  const folder = tempFolder('ledger')
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(gone, 'exit')
  const lock = join(folder, 'usage.lock')
  for (const [pid, host, file] of [
    [gone.pid, hostname(), 'usage.jsonl'],
    [process.ppid, hostname(), 'usage-2.jsonl'],
    [gone.pid, 'another-machine', 'usage-2.jsonl'],
  ] as const) {
    writeFileSync(lock, JSON.stringify({ pid, host, id: 'x' }))
    const name = `request of ${pid} at ${host}`
    // What lives elsewhere is judged by when it last showed itself.
    const next = await open(folder, new ManualClock(Date.now()))
    await next.book(name)
    assert.ok(idsIn(folder, file).includes(name), name)
    await next.close()
    rmSync(lock, { force: true })
  }
})

test('after a crash under another host name the books have all again, as soon as the lock is a minute old', async () => {
  const folder = tempFolder('ledger')
  const before = await open(folder)
  await before.book('a')
  await before.close()
  const lock = join(folder, 'usage.lock')
  writeFileSync(lock, JSON.stringify({ pid: 1, host: 'container-of-yesterday', id: 'x' }))
  utimesSync(lock, NOON / 1000, NOON / 1000)
  const after = await open(folder)
  await after.book('b')
  assert.equal([idsIn(folder, 'usage-2.jsonl'), after.requests()], [['b'], 1])
  for (let s = 0; s < 90; s += 15) await after.clock.advance(15_000)
  await until('the files of the crashed one are counted', () => after.requests() === 2)
  await after.close()
  for (let start = 0; start < 3; start++) {
    const next = await open(folder)
    assert.is(next.requests(), 2, `start ${start}`)
    await next.close()
  }
  assert.equal([idsIn(folder), idsIn(folder, 'usage-2.jsonl')], [['a'], ['b']])
})

test('what a second writer left is in the books of the next start, and counts no longer than the rest', async () => {
  const folder = tempFolder('ledger')
  const first = await open(folder)
  const second = await open(folder)
  await Promise.all([first.book('a'), second.book('b')])
  assert.equal([first.requests(), second.requests()], [1, 1], 'the files of the living are their own')
  await Promise.all([first.close(), second.close()])
  const later = await open(folder, new ManualClock(NOON + DAY_MS))
  await later.book('c')
  assert.is(later.requests(), 3)
  await later.close()
  const last = await open(folder, new ManualClock(NOON + 60 * DAY_MS))
  assert.is(last.requests(), 0)
  assert.equal(readdirSync(folder).toSorted(), ['usage.jsonl', 'usage.lock'], 'nor is any of it kept')
  await last.close()
})

test('what a writer left is deleted when its days are over, also while another one goes on', async () => {
  const folder = tempFolder('ledger')
  const first = await open(folder, new ManualClock(NOON), 2)
  const second = await open(folder, new ManualClock(NOON), 2)
  await second.book('yesterday')
  await second.clock.advance(DAY_MS)
  await second.book('today')
  await second.close()
  const left = (): string[] => readdirSync(folder).filter(name => name.startsWith('usage-2'))
  const soon = (what: string, isSo: () => boolean): Promise<void> =>
    until(what, async () => {
      await first.clock.advance(15_000)
      return isSo()
    })
  first.clock.set(DAY_MS)
  await soon('both are counted', () => first.requests() === 2)
  assert.ok(existsSync(join(folder, 'usage-2.2026-11-22.jsonl')))
  first.clock.set(2 * DAY_MS)
  await soon('the first day is gone', () => !left().join().includes('2026-11-22'))
  assert.equal(idsIn(folder, 'usage-2.jsonl'), ['today'])
  first.clock.set(DAY_MS)
  await soon('the last day is gone', () => left().length === 0)
  await first.book('later')
  assert.is(first.requests(), 1)
  await first.close()
})

test('how long files of others are kept is what the latest settings say', async () => {
  const folder = tempFolder('ledger')
  const name = 'usage-2.2026-11-21.jsonl'
  writeFileSync(join(folder, name), `${JSON.stringify(sampleEvent('old', NOON - DAY_MS))}\n`)
  const { ledger, clock, close } = await open(folder, new ManualClock(NOON), 2)
  ledger.keepFor(365)
  clock.set(3 * DAY_MS)
  await clock.advance(15_000)
  await close()
  assert.ok(existsSync(join(folder, name)))
})

test('a file that cannot be read at first is in the sums once it can', async () => {
  const folder = tempFolder('ledger')
  const unreadable = join(folder, 'usage.2026-11-21.jsonl')
  writeFileSync(join(folder, 'usage.jsonl'), `${JSON.stringify(sampleEvent('a', NOON))}\n`)
  mkdirSync(unreadable)
  const { clock, book, requests, ledger, warnings, close } = await open(folder)
  await book('b')
  assert.match(warnings.join(), /usage cannot be written/)
  rmSync(unreadable, { recursive: true })
  await clock.advance(1500)
  await ledger.settled()
  assert.equal([idsIn(folder), requests()], [['a', 'b'], 2])
  await close()
  const again = await open(folder)
  assert.is(again.requests(), 2)
  await again.close()
})

test('a writer that slept until another one took its place writes nothing more into the files of that one', async () => {
  const folder = tempFolder('ledger')
  const { clock, book, requests, close } = await open(folder)
  await book('a')
  const lock = join(folder, 'usage.lock')
  const theirs = JSON.stringify({ pid: process.ppid, host: hostname(), id: 'x' })
  clock.set(61_000)
  writeFileSync(lock, theirs)
  utimesSync(lock, clock.now() / 1000, clock.now() / 1000)
  await book('b')
  assert.equal([idsIn(folder), idsIn(folder, 'usage-2.jsonl'), requests()], [['a'], ['b'], 2])
  await close()
  assert.is(readFileSync(lock, 'utf8'), theirs)
  assert.not(existsSync(join(folder, 'usage.2026-11-22.books.json')), 'nor does it sum up what is theirs')
})

test('a disk that refuses touches no request, and has all of them once it works', async () => {
  const folder = join(tempFolder('ledger'), 'below')
  writeFileSync(folder, 'a file where the folder should be')
  const { clock, book, warnings, requests, ledger, close } = await open(folder)
  await book('a')
  await book('b')
  assert.match(warnings.join(), /usage cannot be written/)
  assert.is(requests(), 2, 'sums have what waits for the disk')
  rmSync(folder)
  mkdirSync(folder)
  await clock.advance(1500)
  await ledger.settled()
  assert.equal([idsIn(folder), requests()], [['a', 'b'], 2])
  await close()
})

test('what no disk takes is bounded in memory, and counted all the same', async () => {
  const folder = join(tempFolder('ledger'), 'below')
  writeFileSync(folder, 'a file where the folder should be')
  const { book, warnings, requests, close } = await open(folder)
  const tags = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(64_000))
  for (let i = 0; i < 20; i++) await book(`request ${i}`, { tags })
  assert.is(requests(), 20)
  assert.match(warnings.join(), /counted, but not written/)
  await close()
})

test('names that clients choose do not grow the sums without bound', async () => {
  const { ledger, clock, close } = await open(tempFolder('ledger'))
  const at = clock.now()
  for (let i = 0; i < 1000; i++) ledger.book(() => sampleEvent(`${i}`, at, { model: `m-${i}`, tags: [`t-${i}`] }))
  await ledger.settled()
  const rows = ledger.sums.rows('model', 0)
  assert.ok(rows.size <= 201)
  assert.is(
    [...rows.values()].reduce((sum, { requests }) => sum + requests, 0),
    1000,
  )
  assert.ok((rows.get('other\nother')?.requests ?? 0) > 700)
  assert.ok(ledger.sums.rows('tag', 0).size <= 101)
  await close()
})

test.run()
