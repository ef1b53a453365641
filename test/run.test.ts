import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opened, tempFolder } from './support/opened.ts'
import { until } from './support/until.ts'

const runner = fileURLToPath(new URL('./run.mjs', import.meta.url))

interface Run {
  readonly code: number | null
  readonly output: string
  readonly lastLine: string
}

async function run(files: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const child = spawn(process.execPath, [runner, ...files.map(name => `test/fixtures/runner/${name}.ts`)], {
    env: { ...process.env, CI: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const close = opened(() => child.kill('SIGTERM'))
  let output = ''
  child.stdout.on('data', bytes => {
    output += bytes
  })
  const [code] = await once(child, 'close')
  await close()
  return { code, output, lastLine: output.trimEnd().split('\n').at(-1) ?? '' }
}

/** Process ids that a fixture told. */
const children = (output: string): number[] => {
  const [, pids = ''] = /children: (.+)/.exec(output) ?? []
  return pids.split(' ').filter(Boolean).map(Number)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a failed assertion ends its file, with all that it opened', async () => {
  const { code, output, lastLine } = await run(['leaves-open'])
  assert.is(code, 1)
  // It ended by itself: a file that hangs has another reason here.
  assert.match(output, /^FAIL \(1 failed\) test\/fixtures\/runner\/leaves-open\.ts/m)
  assert.match(output, /never.this/)
  assert.match(output, 'runner/leaves-open.ts:25:10') // the line of the source, not of what was compiled from it
  assert.match(output, 'closed: the registered one')
  assert.is(lastLine, '0 passed, 1 failed')
  const left = children(output)
  assert.is(left.length, 3)
  await until('the killed children are gone', () => !left.some(isAlive))
})

test('a file that crashes before its first test counts as failed, and its children are killed', async () => {
  const { code, output, lastLine } = await run(['crashes'])
  assert.is(code, 1)
  assert.match(output, /^FAIL \(exited with 1\) test\/fixtures\/runner\/crashes\.ts/m)
  assert.match(output, 'crashed before its first test')
  assert.is(lastLine, '0 passed, 1 failed')
  const left = children(output)
  assert.is(left.length, 1)
  await until('the killed children are gone', () => !left.some(isAlive))
})

test('a file that hangs is ended and named, and so is one that keeps something open', async () => {
  const { code, output, lastLine } = await run(['hangs', 'keeps-going'], { TEST_SILENCE_MS: '10000' })
  assert.is(code, 1)
  assert.match(output, /^FAIL \(nothing new for 10 s\) test\/fixtures\/runner\/hangs\.ts/m)
  assert.match(
    output,
    /^FAIL \(all tests are over, but something is still open\) test\/fixtures\/runner\/keeps-going\.ts/m,
  )
  assert.is(lastLine, '1 passed, 2 failed')
  const left = children(output)
  assert.is(left.length, 1)
  await until('the killed children are gone', () => !left.some(isAlive))
})

test('a file without a test counts as failed', async () => {
  const { code, output, lastLine } = await run(['tests-nothing'])
  assert.is(code, 1)
  assert.match(output, /^FAIL \(ran no test\)/m)
  assert.is(lastLine, '0 passed, 1 failed')
})

test('a file whose program is missing is named once and not counted', async () => {
  const { code, output, lastLine } = await run(['lacks-a-program'], { PATH: tempFolder('no-programs') })
  assert.is(code, 0)
  assert.is(output, 'not run: redis-server is missing: test/fixtures/runner/lacks-a-program.ts\n0 passed, 0 failed\n')
  assert.is(lastLine, '0 passed, 0 failed')
})

test.run()
