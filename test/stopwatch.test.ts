import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const root = fileURLToPath(new URL('.', import.meta.url))

/** Words of a test that holds a stopwatch, or sleeps and hopes. How fast something is, benches say. */
const STOPWATCH = [
  /\bperformance\s*\.\s*now\b/,
  /\bhrtime\b/,
  /\bmonitorEventLoopDelay\b/,
  /\bDate\.now\(\)\s*-|-\s*Date\.now\(\)/,
  /\b(?:began|start|end|until|deadline)\w*\s*=\s*Date\.now\(\)/i,
  /\bsetTimeout\b/,
]

/** What waits for another process, and the vendor that is slow because a test asks it to be. */
const MAY_WAIT = ['support/until.ts', 'support/tmux.ts', 'contracts/vendor.ts', 'clients/agents/task.ts']
const OUTSIDE = /^(bench|fixtures)\/|node_modules|^stopwatch\.test\.ts$/

const wordsOf = (code: string): string[] =>
  code.split('\n').filter(line => STOPWATCH.some(word => word.test(line.replace(/\/\/.*/, ''))))

test('no test outside of the benches holds a stopwatch or sleeps', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => file.endsWith('.ts') && !OUTSIDE.test(file) && !MAY_WAIT.includes(file))
  assert.ok(files.includes('run.test.ts') && files.includes('support/gateway.ts'), 'the files are read')
  const breaches = files.flatMap(file =>
    wordsOf(readFileSync(root + file, 'utf8')).map(line => `test/${file}: ${line.trim()}`),
  )
  assert.equal(breaches, [])
})

test('what it looks for is found', () => {
  const stopwatches = [
    'const began = performance.now()',
    'const began = process.hrtime.bigint()',
    'const monitor = monitorEventLoopDelay()',
    'assert.ok(Date.now() - at < 100)',
    'const deadline = Date.now() + 1000',
    'await new Promise(resolve => setTimeout(resolve, 100))',
    "import { setTimeout as sleep } from 'node:timers/promises'",
  ]
  for (const line of stopwatches) assert.equal(wordsOf(line), [line])
  assert.equal(wordsOf('now: () => Date.now() + later // no setTimeout here'), [])
})

test.run()
