import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findRunning, pidFileOf, readPidFile, removePidFile, writePidFile } from '../../../surfaces/cli/pid-file.ts'

const test = suite<{ dir: string; file: string }>('pid file')

test.before.each(context => {
  context.dir = mkdtempSync(join(tmpdir(), 'deflector-pid-'))
  context.file = pidFileOf(context.dir, 8080)
})
test.after.each(({ dir }) => rmSync(dir, { recursive: true }))

test('is read as it was written, and begins with the bare process id', ({ dir, file }) => {
  writePidFile(file, 'http://127.0.0.1:8080', 30)
  assert.is(readFileSync(file, 'utf8').split('\n')[0], String(process.pid))
  assert.equal(readPidFile(file), { file, pid: process.pid, url: 'http://127.0.0.1:8080', drainSecs: 30, alive: true })
  assert.is(findRunning(dir, {}).pid, process.pid)
  assert.is(findRunning(dir, { port: 8080 }).pid, process.pid)
  removePidFile(file)
  assert.is(existsSync(file), false)
})

test('of a process that is gone is stale, and is removed', ({ dir, file }) => {
  writeFileSync(file, '2147480000\nhttp://127.0.0.1:8080\n')
  assert.is(readPidFile(file)?.alive, false)
  assert.throws(() => findRunning(dir, {}), /no gateway is running/)
  assert.is(existsSync(file), false)
})

test('of a process id that somebody else has by now is stale', ({ file }) => {
  // Only where the system tells when a process began.
  if (!existsSync('/proc/self/stat')) return
  writeFileSync(file, `${process.pid}\nhttp://127.0.0.1:8080\n1\n`)
  assert.is(readPidFile(file)?.alive, false)
})

test('of another living process is neither overwritten nor removed', ({ file }) => {
  const note = `${process.ppid}\nhttp://127.0.0.1:8080\n`
  writeFileSync(file, note)
  assert.throws(() => writePidFile(file, 'http://127.0.0.1:8080', 10), /belongs to the running process/)
  removePidFile(file)
  assert.is(readFileSync(file, 'utf8'), note)
})

/** Until its file `done` is there: writes and removes a file many times. */
const WRITER = `
  import { rmSync, writeFileSync } from 'node:fs'
  const [, file] = process.argv
  for (let n = 0; n < 5000; n++) { writeFileSync(file, '2147480000\\n'); rmSync(file) }
  writeFileSync(file + '.done', '')
`

test('is read as none where it goes at that moment', async ({ file }) => {
  const writer = spawn(process.execPath, ['--input-type=module', '--eval', WRITER, file], { stdio: 'inherit' })
  const ended = once(writer, 'exit')
  try {
    while (!existsSync(`${file}.done`)) assert.is(readPidFile(file)?.alive ?? false, false)
  } finally {
    await ended
  }
})

test('with anything else in it is no note of ours', ({ dir, file }) => {
  for (const text of ['', 'hello', '-1\n', '0\n', '1 2\n']) {
    writeFileSync(file, text)
    assert.is(readPidFile(file), undefined, text)
  }
  assert.throws(() => findRunning(dir, { pidFile: join(dir, 'none') }), /there is no pid file/)
  const other = join(dir, 'other')
  writeFileSync(other, 'root:x:0:0\n')
  assert.throws(() => findRunning(dir, { pidFile: other }), /other is no pid file of a gateway/)
  assert.ok(existsSync(other))
})

test.run()
