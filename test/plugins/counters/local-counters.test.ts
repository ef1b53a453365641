import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { LocalCounters } from 'deflector/counters'
import { LogFile } from 'deflector/files'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ManualClock, testHost } from '../../contracts/host.ts'
import { opened, tempFolder } from '../../support/opened.ts'
import { until } from '../../support/until.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 22)
const TOMORROW = NOW + DAY

interface Opened {
  readonly counters: LocalCounters
  readonly clock: ManualClock
  readonly logged: ReturnType<typeof testHost<'layer'>>['logged']
  close(): Promise<void>
}

async function openIn(folder: string | undefined, now = NOW): Promise<Opened> {
  const { host, clock, logged } = testHost('layer', { clock: new ManualClock(now) })
  const counters = new LocalCounters(host, folder)
  const close = opened(() => counters.close())
  await counters.open()
  return { counters, clock, logged, close }
}

const take = (counters: LocalCounters, key: string, by: number, limit?: number) =>
  counters.change([{ key, by, limit, endsAt: TOMORROW }])

/** The journals in a folder. */
const files = (folder: string): string[] => readdirSync(folder).filter(name => name.endsWith('.jsonl'))

/** The lock of a journal's owner. */
const lock = (pid: number, host = hostname()): string => JSON.stringify({ pid, host, id: 'another one' })

test('makes all changes, or none where one would pass its limit', async () => {
  const { counters } = await openIn(undefined)
  const both = (a: number, b: number) =>
    counters.change([
      { key: 'a', by: a, limit: 10, endsAt: TOMORROW },
      { key: 'b', by: b, limit: 5, endsAt: TOMORROW },
    ])
  assert.equal([both(6, 5).made, both(4, 1).made, both(4, 0).made, both(1, 0).made], [true, false, true, false])
  assert.equal(both(1, 1).counts, [10, 5])
})

test('never counts below 0', async () => {
  const { counters } = await openIn(undefined)
  take(counters, 'a', 5)
  assert.equal(take(counters, 'a', -9).counts, [0])
  assert.equal(take(counters, 'a', 3).counts, [3])
})

test('counts on after a restart', async () => {
  const folder = tempFolder('counters')
  const first = await openIn(folder)
  await take(first.counters, 'a', 5).written
  await take(first.counters, 'a', -2).written
  await take(first.counters, 'b|"quoted"', 7).written
  await first.close()
  const second = await openIn(folder)
  assert.equal([second.counters.count('a'), second.counters.count('b|"quoted"')], [3, 7])
  assert.is(files(folder).length, 1)
})

test('a change is on the disk once it says so, also when many come at once', async () => {
  const folder = tempFolder('counters')
  const { counters, close } = await openIn(folder)
  await Promise.all(Array.from({ length: 1000 }, () => take(counters, 'a', 1).written))
  const [name = ''] = files(folder)
  assert.is(readFileSync(join(folder, name), 'utf8').match(/\["a",1,/g)?.length, 1000)
  await close()
})

test('a line that was cut off is left out, and what came before it is not', async () => {
  const folder = tempFolder('counters')
  const first = await openIn(folder)
  await take(first.counters, 'a', 5).written
  await first.close()
  const [name = ''] = files(folder)
  writeFileSync(join(folder, name), `${readFileSync(join(folder, name), 'utf8')}["a",7,17`)
  const second = await openIn(folder)
  await take(second.counters, 'a', 1).written
  await second.close()
  assert.is((await openIn(folder)).counters.count('a'), 6)
})

/** A disk that is full until it is freed. */
function fullDisk(): () => void {
  const { append } = LogFile.prototype
  LogFile.prototype.append = () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
  return opened(() => {
    LogFile.prototype.append = append
  })
}

test('what a full disk refused is on it as soon as it works, without another change', async () => {
  const folder = tempFolder('counters')
  const { counters, clock, logged } = await openIn(folder)
  await take(counters, 'a', 2).written
  const free = fullDisk()
  await take(counters, 'a', 3).written
  await take(counters, 'b', 1).written
  assert.is(counters.count('a'), 5)
  const warned = logged.filter(({ level }) => level === 'warn').map(({ message }) => message)
  assert.is(warned.length, 1)
  assert.match(warned[0] ?? '', 'lost if the gateway ends before the disk works again')
  const waiting = clock.sleeping
  await clock.advance(3000)
  free()
  await clock.advance(1000)
  const written = (): string =>
    files(folder)
      .map(name => readFileSync(join(folder, name), 'utf8'))
      .join('')
  await until('it is written', () => /"a",5,/.test(written()) && /"b",1,/.test(written()))
  await until('the log says so', () => logged.some(({ message }) => message.startsWith('counters are written again')))
  assert.is(clock.sleeping, waiting - 1, 'nothing is tried again')
})

test('what a full disk refused is written at the end where the disk works by then', async () => {
  const folder = tempFolder('counters')
  const { counters, close } = await openIn(folder)
  const free = fullDisk()
  await take(counters, 'a', 3).written
  free()
  await close()
  assert.is((await openIn(folder)).counters.count('a'), 3)
  const again = await openIn(tempFolder('counters'))
  const freeAgain = fullDisk()
  await take(again.counters, 'a', 3).written
  await again.close()
  assert.is(again.clock.sleeping, 0, 'a disk that stays full holds up no end')
  freeAgain()
})

test('the journal stays small, and loses nothing by it', async () => {
  const folder = tempFolder('counters')
  const { counters, close } = await openIn(folder)
  const key = 'k'.repeat(1000)
  for (let round = 0; round < 30; round++)
    await Promise.all(Array.from({ length: 100 }, () => take(counters, key, 1).written))
  const sizes = files(folder).map(name => statSync(join(folder, name)).size)
  assert.is(sizes.length, 1)
  assert.ok((sizes[0] ?? 0) < 1.5 * (1 << 20), String(sizes))
  await close()
  assert.is((await openIn(folder)).counters.count(key), 3000)
})

test('counters of ended windows are forgotten, in memory and on the disk', async () => {
  const folder = tempFolder('counters')
  const { counters, clock, close } = await openIn(folder)
  for (let day = 0; day < 400; day++) {
    counters.change([{ key: `day|${day}`, by: 1, endsAt: clock.now() + DAY }])
    clock.set(DAY)
  }
  assert.ok(counters.size <= 6, String(counters.size))
  await close()
  const again = await openIn(folder, clock.now())
  assert.ok(again.counters.size <= 6, String(again.counters.size))
  await again.close()
  assert.is((await openIn(folder, clock.now() - 2 * DAY)).counters.count('day|300'), 0)
})

test('a clock that is set forward and back finds what was counted before, also after a restart', async () => {
  const folder = tempFolder('counters')
  const { counters, clock, close } = await openIn(folder)
  const day = (): string => `a|${Math.floor(clock.now() / DAY)}`
  const endsAt = (): number => (Math.floor(clock.now() / DAY) + 1) * DAY
  const spend = (by: number): boolean => counters.change([{ key: day(), by, limit: 10, endsAt: endsAt() }]).made
  assert.is(spend(10), true)
  for (const far of [1, 40, 400]) {
    clock.set(far * DAY)
    assert.is(spend(3), true)
    clock.set(-far * DAY)
    assert.is(spend(1), false, `a step of ${far} days`)
  }
  await counters.change([{ key: 'b', by: 1, endsAt: endsAt() }]).written
  await close()
  assert.is((await openIn(folder, clock.now())).counters.count(day()), 10)
})

test('what another gateway on the same folder counted counts too, and is not taken from it', async () => {
  const folder = tempFolder('counters')
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const end = opened(async () => {
    if (other.exitCode !== null || other.signalCode !== null) return
    other.kill('SIGKILL')
    await once(other, 'exit')
  })
  const theirs = 'counters-theirs-0123.jsonl'
  writeFileSync(join(folder, 'counters-theirs.lock'), lock(other.pid ?? 0))
  writeFileSync(join(folder, theirs), `{"replaces":[]}\n["a",5,${TOMORROW}]\n`)
  const first = await openIn(folder)
  const [warned] = first.logged
  assert.match(warned?.message ?? '', 'another gateway counts in the same folder')
  assert.equal([warned?.fields?.pid, warned?.fields?.host], [other.pid, hostname()])
  assert.is(first.counters.count('a'), 5)
  assert.is(take(first.counters, 'a', 6, 10).made, false)
  await take(first.counters, 'a', 1).written
  await first.close()
  assert.ok(files(folder).includes(theirs))
  await end()
  const second = await openIn(folder)
  assert.is(second.counters.count('a'), 6, 'each is counted once')
  assert.is(files(folder).length, 1)
})

test('the journal of a living gateway in another container is not taken, though both have the same number', async () => {
  const folder = tempFolder('counters')
  const theirs = 'counters-1.abc-0123.jsonl'
  writeFileSync(join(folder, 'counters-1.abc.lock'), lock(process.pid, 'another-container'))
  writeFileSync(join(folder, theirs), `{"replaces":[]}\n["a",5,${TOMORROW}]\n`)
  const { counters, close } = await openIn(folder, Date.now())
  assert.is(counters.count('a'), 5)
  await close()
  assert.ok(files(folder).includes(theirs))
})

test('two gateways on one folder do not pass a limit together, and know what the other one gave back', async () => {
  const folder = tempFolder('counters')
  const [one, two] = [await openIn(folder), await openIn(folder)]
  const spend = async ({ counters }: Opened, by: number): Promise<boolean> =>
    (await counters.changeTogether([{ key: 'a', by, limit: 100, endsAt: TOMORROW }])).made
  assert.is(await spend(one, 10), true, 'it has this to give back, however the race ends')
  const spent = await Promise.all(Array.from({ length: 60 }, (_, i) => spend(i % 2 ? one : two, 5)))
  const total = spent.filter(Boolean).length * 5
  assert.ok(total <= 90, String(total))
  for (let i = 0; i < 30; i++) await spend(i % 2 ? one : two, 5)
  await Promise.all([one.counters.refresh(), two.counters.refresh()])
  assert.equal([one.counters.count('a'), two.counters.count('a')], [100, 100])
  assert.equal([await spend(one, 1), await spend(two, 1)], [false, false])
  await take(one.counters, 'a', -10).written
  assert.is(await spend(two, 10), true)
  await one.close()
  await two.close()
  assert.is((await openIn(folder)).counters.count('a'), 100, 'each is counted once')
})

test('what another gateway writes anew is counted once', async () => {
  const folder = tempFolder('counters')
  const [one, two] = [await openIn(folder), await openIn(folder)]
  const key = 'k'.repeat(1000)
  for (let round = 0; round < 15; round++) {
    await Promise.all(Array.from({ length: 100 }, () => take(one.counters, key, 1).written))
    await two.counters.refresh()
    assert.is(two.counters.count(key), (round + 1) * 100)
  }
  assert.is(files(folder).length, 2)
})

test('a gateway whose journal was taken while it slept loses nothing of what it counts', async () => {
  const folder = tempFolder('counters')
  const one = await openIn(folder)
  await take(one.counters, 'a', 5).written
  const [name = ''] = readdirSync(folder).filter(name => name.endsWith('.lock'))
  writeFileSync(join(folder, name), lock(process.pid, 'another-container'))
  await one.clock.advance(10_000)
  await until('the lock is missed', async () => {
    await take(one.counters, 'a', 1).written
    return files(folder).length === 2
  })
  const counted = one.counters.count('a')
  await one.close()
  assert.ok((await openIn(folder, Date.now() + 120_000)).counters.count('a') >= counted)
})

test('a file that replaces others stands for them, also where these are still there', async () => {
  const folder = tempFolder('counters')
  writeFileSync(join(folder, 'counters-999999991-a.jsonl'), `{"replaces":[]}\n["a",5,${TOMORROW}]\n`)
  writeFileSync(
    join(folder, 'counters-999999992-b.jsonl'),
    `{"replaces":["counters-999999991-a.jsonl"]}\n["a",5,${TOMORROW}]\n`,
  )
  assert.is((await openIn(folder)).counters.count('a'), 5)
  assert.is(files(folder).length, 1)
})

test('a folder that cannot be used is named when the gateway starts', async () => {
  const file = join(tempFolder('counters'), 'file')
  writeFileSync(file, '')
  try {
    await openIn(file)
    assert.unreachable()
  } catch (error) {
    assert.match(String(error), `the folder of the counters, ${file}, cannot be used: `)
  }
})

test.run()
