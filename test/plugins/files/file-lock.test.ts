import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { FileLock, isRunning, startOf } from 'deflector/files'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ManualClock } from '../../contracts/clock.ts'
import { opened, tempFolder } from '../../support/opened.ts'
import { until } from '../../support/until.ts'

const MINUTE = 60_000
/** No process has this number. */
const NONE = 4194399

const lockFile = (): string => join(tempFolder('lock'), 'a.lock')
const owner = (pid: number, more: object = {}): string =>
  JSON.stringify({ pid, host: hostname(), id: 'another one', ...more })

async function take(path: string, clock = new ManualClock(Date.now())): Promise<FileLock | undefined> {
  const lock = await FileLock.take(path, clock)
  if (lock) opened(() => lock.release())
  return lock
}

async function taken(path: string, clock?: ManualClock): Promise<FileLock> {
  const lock = await take(path, clock)
  assert.ok(lock)
  return lock
}

test('a file has one owner, which is named in it, and none after its release', async () => {
  const path = lockFile()
  const lock = await taken(path)
  assert.is(await take(path), undefined)
  const { pid, host } = JSON.parse(readFileSync(path, 'utf8'))
  assert.equal([pid, host, statSync(path).mode & 0o777], [process.pid, hostname(), 0o600])
  await lock.release()
  assert.is(existsSync(path), false)
  await taken(path)
})

test('parts of one process that ask at the same time do not both have it', async () => {
  const path = lockFile()
  const locks = await Promise.all(Array.from({ length: 8 }, () => take(path)))
  assert.is(locks.filter(Boolean).length, 1)
})

test('the lock of a process that is gone is free, also where another process has its number', async () => {
  const left = [owner(NONE), owner(process.pid)]
  if (startOf(process.ppid) !== undefined) left.push(owner(process.ppid, { began: '1' }))
  for (const text of left) {
    const path = lockFile()
    writeFileSync(path, text)
    await taken(path)
    assert.equal(readdirSync(join(path, '..')), ['a.lock'], 'nothing is left aside')
  }
})

test('the lock of a living process, of another machine or of an unknown owner is free after a silent minute', async () => {
  const texts = [owner(process.ppid, { began: startOf(process.ppid) }), owner(NONE, { host: 'elsewhere' }), '', '4711']
  for (const text of texts) {
    const path = lockFile()
    writeFileSync(path, text)
    assert.is(await take(path), undefined, text)
    assert.is(readFileSync(path, 'utf8'), text)
    const then = Date.now() / 1000 - 61
    utimesSync(path, then, then)
    await taken(path)
  }
})

test('an owner shows that it lives', async () => {
  const path = lockFile()
  const clock = new ManualClock(Date.now() + 60 * MINUTE)
  await taken(path, clock)
  const before = statSync(path).mtimeMs
  await clock.advance(10_000)
  await until('a beat', () => statSync(path).mtimeMs > before + 50 * MINUTE)
})

test('an owner that was asleep for long sees before its next write that another one came', async () => {
  const path = lockFile()
  // By either clock: one of them may stand still, or be set back.
  for (const [slept, setBack] of [
    [MINUTE, 0],
    [0, -1],
  ] as const) {
    const clock = new ManualClock(Date.now())
    const lock = await taken(path, clock)
    assert.is(await lock.isOurs(), true)
    writeFileSync(path, owner(process.ppid))
    clock.set(slept + setBack)
    assert.is(await lock.isOurs(), false)
    await lock.release()
    assert.is(readFileSync(path, 'utf8'), owner(process.ppid), 'the lock of another one stays')
    rmSync(path)
  }
})

test('an owner that was asleep, and that no other one replaced, goes on', async () => {
  const path = lockFile()
  const clock = new ManualClock(Date.now())
  const lock = await taken(path, clock)
  clock.set(10 * MINUTE)
  assert.is(await lock.isOurs(), true)
  assert.ok(statSync(path).mtimeMs > Date.now() + 9 * MINUTE, 'its sleep is over for others, too')
})

test('a lock that was removed against the rules is noticed with the next beat, without a question', async () => {
  const path = lockFile()
  const clock = new ManualClock(Date.now())
  const lock = await taken(path, clock)
  rmSync(path)
  assert.is(await lock.isOurs(), true, 'a question between two beats reads nothing')
  await clock.advance(10_000)
  await until('the beat', async () => !(await lock.isOurs()))
})

test('a folder that cannot be written to is told', async () => {
  const folder = tempFolder('lock')
  mkdirSync(join(folder, 'a.lock'))
  assert.is(await take(join(folder, 'a.lock')), undefined)
  try {
    await take(join(folder, 'missing', 'a.lock'))
    assert.unreachable()
  } catch (error) {
    assert.match(String(error), 'ENOENT')
  }
})

test('a process runs, or it does not', () => {
  assert.equal(
    [isRunning(process.pid), isRunning(process.pid, startOf(process.pid)), isRunning(NONE)],
    [true, true, false],
  )
  assert.is(isRunning(process.pid, '1'), startOf(process.pid) === undefined)
})

test.run()
