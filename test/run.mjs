// Runs every test file in a process of its own, a few at a time, and closes with `N passed, N failed`.
// A file that runs no test, hangs, or exits with an error counts as a failure.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv.slice(2)
const jobs = Number(process.env.TEST_JOBS ?? 2)
const limitMs = Number(process.env.TEST_LIMIT_MS ?? 120_000)

const files = readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && !file.includes('node_modules'))
  .map(file => `test/${file.replaceAll('\\', '/')}`)
  .filter(file => wanted.length === 0 || wanted.some(part => file.includes(part)))
  .sort()

function runFile(file) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, ['--conditions', 'development', '--import', 'tsx', file], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'test' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let late = false
    for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => (output += bytes))
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, limitMs)
    child.on('close', code => {
      clearTimeout(timer)
      resolve({ file, output, ...verdict(output, code, late) })
    })
  })
}

/** uvu prints `Total`, `Passed` and `Skipped` once per suite. */
function verdict(output, code, late) {
  const sum = word =>
    [...output.matchAll(new RegExp(`^\\s*${word}:\\s+(\\d+)`, 'gm'))].reduce((all, m) => all + Number(m[1]), 0)
  const total = sum('Total')
  const passed = sum('Passed')
  const failed = total - passed - sum('Skipped')
  if (late) return { passed, failed: failed + 1, why: `not over after ${limitMs / 1000} s` }
  if (total === 0) return { passed, failed: failed + 1, why: 'ran no test' }
  if (code !== 0 && failed === 0) return { passed, failed: 1, why: `exited with ${code}` }
  return { passed, failed, why: failed > 0 ? `${failed} failed` : '' }
}

let passed = 0
let failed = files.length === 0 ? 1 : 0
const queue = [...files]
async function worker() {
  for (let file = queue.shift(); file; file = queue.shift()) {
    const began = Date.now()
    const result = await runFile(file)
    passed += result.passed
    failed += result.failed
    const mark = result.why ? `FAIL (${result.why})` : 'ok  '
    console.log(
      `${mark} ${relative(root, file) || file} ${result.passed} in ${((Date.now() - began) / 1000).toFixed(1)} s`,
    )
    if (result.why) console.log(result.output.replace(/^/gm, '    '))
  }
}
await Promise.all(Array.from({ length: jobs }, worker))
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
