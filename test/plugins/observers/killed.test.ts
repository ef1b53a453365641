import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { opened, tempFolder } from '../../support/opened.ts'
import { bundle } from '../../support/typescript/bundle.mjs'

const KILLS = 50
/** Kills while files are read and repaired. */
const EARLY = 10
/** One kill of so many tears a line. */
const TORN = 4
/** Acknowledged requests before a kill, at most, and turns of the event loop that pass after the last of them. */
const MOST_REQUESTS = 120
const MOST_TURNS = 300

const line = z.object({ request_id: z.string() })

/** Ids of the whole lines of these files, each of which must be one; a torn line may be the last one of `newest`. */
function idsIn(folder: string, pattern: RegExp, newest: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder).filter(name => pattern.test(name)) : []
  return files.flatMap(name => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    const torn = lines.pop()
    if (name !== newest) assert.is(torn, '', `${name} ends with a whole line`)
    return lines.map(text => line.parse(JSON.parse(text)).request_id)
  })
}

class Writer {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #gone: Promise<unknown>
  readonly #ready: Promise<unknown>

  constructor(program: string, ...args: string[]) {
    this.#child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    opened(() => this.#child.kill('SIGKILL'))
    this.#gone = once(this.#child, 'exit')
    assert.ok(this.#child.stdout)
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#ready = this.#lines.next()
  }

  /** Lets it open the files. */
  async begin(): Promise<void> {
    await this.#ready
    this.#child.stdin?.write('go\n')
  }

  /** Requests that the ledger has found. */
  async found(): Promise<number> {
    return Number((await this.#lines.next()).value)
  }

  /** The next id of a request that is written. */
  async written(): Promise<string> {
    const { value, done } = await this.#lines.next()
    assert.not(done, 'the writer ended by itself')
    return value
  }

  /** Kills it at some moment, and gives back what else it had said. */
  async kill(): Promise<string[]> {
    for (let turns = Math.random() * MOST_TURNS; turns > 0; turns--) await nextTurn()
    this.#child.kill('SIGKILL')
    const rest: string[] = []
    for (let next = await this.#lines.next(); !next.done; next = await this.#lines.next()) rest.push(next.value)
    await this.#gone
    return rest
  }
}

test(`${KILLS} times kill -9 under load lose no acknowledged request and count none twice`, async () => {
  const program = await bundle(fileURLToPath(new URL('./killed-writer.ts', import.meta.url)))
  const folder = tempFolder('killed')
  const start = (run: number): Writer => new Writer(program, folder, `run${run}`, String(run))
  const usage = (): string[] => idsIn(join(folder, 'usage'), /^usage.*\.jsonl$/, 'usage.jsonl')
  const log = (): string[] => idsIn(join(folder, 'log'), /^requests.*\.jsonl$/, 'requests.jsonl')
  const acknowledged: string[] = []

  /** Each request is there once, and each acknowledged one is there. */
  function check(ids: readonly string[], what: string): void {
    const known = new Set(ids)
    assert.is(known.size, ids.length, `no line of the ${what} is there twice`)
    const lost = acknowledged.filter(id => !known.has(id))
    assert.equal(lost, [], `the ${what} has all`)
  }

  let next = start(0)
  for (let run = 0; run <= KILLS; run++) {
    const writer = next
    const before = usage().length
    await writer.begin()
    // The next one loads its code meanwhile.
    if (run < KILLS) next = start(run + 1)
    if (run % (KILLS / EARLY) !== 1) {
      assert.is(await writer.found(), before, `sums after ${run} kills`)
      for (let count = Math.random() * MOST_REQUESTS; count > 0; count--) acknowledged.push(await writer.written())
      acknowledged.push(...(await writer.kill()))
    } else {
      const [found = before, ...rest] = await writer.kill()
      assert.is(Number(found), before, `sums after ${run} kills`)
      acknowledged.push(...rest)
    }
    check(usage(), 'ledger')
    check(log(), 'request log')
    // A kill seldom comes in the middle of a write, so some lines are torn by hand.
    if (run % TORN === 0)
      for (const file of ['usage/usage.jsonl', 'log/requests.jsonl'])
        appendFileSync(join(folder, file), '{"request_id":"torn","timestamp":"2026-11-2')
  }
  const files = readdirSync(join(folder, 'usage'))
  assert.ok(acknowledged.length > KILLS, 'there was load')
  assert.ok(
    files.some(name => /^usage\.[\d-]+\.jsonl$/.test(name)),
    'days ended',
  )
  assert.ok(existsSync(join(folder, 'log', 'requests.1.jsonl')), 'the request log began new files')
  assert.not(files.includes('usage-2.jsonl'), 'the lock of a killed process is taken over')
})

test.run()
