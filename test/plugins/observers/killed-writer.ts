import { once } from 'node:events'
import { join } from 'node:path'
import { systemClock } from '../../../core/clock.ts'
import { hostLog } from '../../../core/host-log.ts'
import { LogWriter } from '../../../plugins/observers/request-log/log-writer.ts'
import { RotatingFile } from '../../../plugins/observers/request-log/rotating-file.ts'
import { Ledger } from '../../../plugins/observers/usage/ledger.ts'
import { sampleEntry } from './request-log/sample.ts'
import { sampleEvent } from './usage/sample.ts'

/**
 * `FOLDER NAME DAY`: waits for a line, opens a ledger and a request log, prints how many requests the ledger has, then
 * writes to both until it is killed. It prints the id of each request that is acknowledged: written, as both say.
 */
const [folder = '', name = '', day = ''] = process.argv.slice(2)

/** Days are short here, so that some of them end. */
const ROUNDS_A_DAY = 40
/** Requests that are booked at the same time. */
const LOOPS = 3

let rounds = 0
const clock = {
  ...systemClock,
  now: () => systemClock.now() + (Number(day) + Math.floor(rounds / ROUNDS_A_DAY)) * 86_400_000,
}
const fail = (message: string): never => {
  throw new Error(message)
}
const log = hostLog({ debug() {}, info() {}, warn: fail, error: fail }, clock)
const ledger = new Ledger(clock, log, { folder: join(folder, 'usage'), retentionDays: 1000, saveBytes: 20_000 })
const file = new RotatingFile(join(folder, 'log'), { maxBytes: 100_000, rotations: 1000 }, clock)
const writer = new LogWriter(file, log, clock)

process.stdout.write('ready\n')
await once(process.stdin, 'data')
await ledger.start()
const rows = ledger.sums.rows('model', 0).values()
process.stdout.write(`${[...rows].reduce((sum, { requests }) => sum + requests, 0)}\n`)

async function load(loop: number): Promise<void> {
  for (;;) {
    rounds++
    const ids = Array.from({ length: 1 + (rounds % 7) }, (_, i) => `${name}-${loop}-${rounds}-${i}`)
    for (const id of ids) {
      ledger.book(() => sampleEvent(id, clock.now(), { tags: ['x'.repeat(64)] }))
      writer.add(sampleEntry(id, clock.now()))
    }
    await Promise.all([ledger.settled(), writer.flush()])
    process.stdout.write(`${ids.join('\n')}\n`)
  }
}
await Promise.all(Array.from({ length: LOOPS }, (_, loop) => load(loop)))
