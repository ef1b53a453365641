// Runs every test file in a process group of its own, a few at a time, and closes with `N passed, N failed`.
// A file that runs no test, hangs, or exits with an error counts as a failure. Arguments pick files by part of their path.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FAMILY, familyName, killFamily } from './support/family.mjs'
import { install, missingIn } from './support/programs.mjs'
import { SOURCES } from './support/typescript/flags.mjs'
import { inSources } from './support/typescript/in-sources.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv.slice(2)
/** One more than there are cores, because a file also waits. */
const jobs = Number(process.env.TEST_JOBS ?? availableParallelism() + 1)
/** A busy machine makes a file slow, but not silent: every test says that it is over. So the limit is on silence. */
const silenceMs = Number(process.env.TEST_SILENCE_MS ?? 240_000)
/** For a file that goes on saying something for ever. */
const longestMs = 30 * 60_000
/** From the last test to the end of the process. */
const endMs = Math.min(silenceMs, 60_000)

/** What takes longest begins first, so that the end is many short files and no core waits for a long one. */
const LONG = /^test\/(?:surfaces\/cli|faults|gateway|clients|ui-tui|plugins\/layers\/semantic-cache)\/|^test\/[^/]+$/

const all = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && !file.includes('node_modules'))
  .map(file => `test/${file.replaceAll('\\', '/')}`)
  .sort((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)) || (a < b ? -1 : 1))
const isPath = part => part.endsWith('.ts') && existsSync(join(root, part))
const files =
  wanted.length === 0
    ? all
    : [...wanted.filter(isPath), ...all.filter(file => wanted.some(part => !isPath(part) && file.includes(part)))]

/** Families that are running, by the process id of their leader. */
const running = new Map()
process.on('exit', () => {
  for (const [leader, name] of running) killFamily(leader, name)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))

const START = [...SOURCES, '--import', './test/support/opened.ts']

let families = 0
function runFile(file) {
  return new Promise(resolve => {
    const name = familyName(++families)
    const child = spawn(process.execPath, [...START, file], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'test', [FAMILY]: name },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own
    })
    running.set(child.pid, name)
    let output = ''
    let late = ''
    let timer
    const end = why => {
      late ||= why
      killFamily(child.pid, name)
    }
    const longest = setTimeout(() => end(`not over after ${longestMs / 60_000} minutes`), longestMs)
    const wait = () => {
      clearTimeout(timer)
      const over = isOver(output)
      const ms = over ? endMs : silenceMs
      const why = over ? 'all tests are over, but something is still open' : `nothing new for ${ms / 1000} s`
      timer = setTimeout(() => end(why), ms)
    }
    wait()
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', bytes => {
        output += bytes
        wait()
      })
    }
    child.on('exit', () => killFamily(child.pid, name))
    child.on('close', code => {
      clearTimeout(timer)
      clearTimeout(longest)
      running.delete(child.pid)
      const missing = code === 0 && !isOver(output) ? missingIn(output) : undefined
      resolve({ output, missing, ...verdict(output, code, late) })
    })
  })
}

/** uvu prints `Total`, `Passed`, `Skipped` and `Duration` once all suites of a file are over. */
const isOver = output => /^\s*Duration:/m.test(output)

function verdict(output, code, late) {
  const sum = word =>
    [...output.matchAll(new RegExp(`^\\s*${word}:\\s+(\\d+)`, 'gm'))].reduce((all, m) => all + Number(m[1]), 0)
  const total = sum('Total')
  const passed = sum('Passed')
  const failed = total - passed - sum('Skipped')
  if (late) return { passed, failed: failed + 1, why: late }
  if (total === 0) return { passed, failed: failed + 1, why: code === 0 ? 'ran no test' : `exited with ${code}` }
  if (code !== 0 && failed === 0) return { passed, failed: 1, why: `exited with ${code}` }
  return { passed, failed, why: failed > 0 ? `${failed} failed` : '' }
}

const imports = (file, name) => readFileSync(join(root, file), 'utf8').includes(name)
if (files.some(file => imports(file, 'support/redis.ts'))) await install('redis-server')
if (files.some(file => imports(file, 'support/tmux.ts'))) await install('tmux')
const withBrowser = new Set(files.filter(file => imports(file, 'support/browser.ts')))
/** The browser is large: other files run while it is installed. */
const browser = withBrowser.size > 0 ? install('chromium') : undefined

let passed = 0
let failed = files.length === 0 ? 1 : 0
/** Files by the program that they lack. */
const notRun = new Map()
const [waiting, others] = [files.filter(file => withBrowser.has(file)), files.filter(file => !withBrowser.has(file))]
let isInstalled = false
void browser?.then(() => {
  isInstalled = true
})
/** Files with a browser are long: they begin once it is there. */
const next = () => (isInstalled ? waiting.shift() : undefined) ?? others.shift() ?? waiting.shift()
async function worker() {
  for (let file = next(); file; file = next()) {
    if (withBrowser.has(file)) await browser
    const began = Date.now()
    const result = await runFile(file)
    if (result.missing) {
      notRun.set(result.missing, [...(notRun.get(result.missing) ?? []), file])
      continue
    }
    passed += result.passed
    failed += result.failed
    const mark = result.why ? `FAIL (${result.why})` : 'ok  '
    console.log(`${mark} ${file} ${result.passed} in ${((Date.now() - began) / 1000).toFixed(1)} s`)
    if (result.why) console.log(inSources(result.output).replace(/^/gm, '    '))
  }
}
await Promise.all(Array.from({ length: jobs }, worker))
for (const [program, lacking] of notRun) console.log(`not run: ${program} is missing: ${lacking.join(', ')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
