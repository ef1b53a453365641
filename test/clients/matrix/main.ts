import { readFileSync, writeFileSync } from 'node:fs'
import { section, withRows } from '../section.ts'
import { CASES } from './cases.ts'
import { NODE_CLIENTS } from './clients/index.ts'
import { python } from './clients/python.ts'
import { hasPython } from './packages.ts'
import { type Played, play } from './play.ts'
import { VENDORS } from './reached.ts'
import { leftOut, tableOf } from './table.ts'

/**
 * Every client before a vendor of every format. Arguments pick clients, vendors and cases by part of their name; a
 * run of all cases writes its rows into the README, and a run without arguments the whole table.
 */
const picks = process.argv.slice(2)
const picked = <T>(all: readonly T[], nameOf: (one: T) => string): readonly T[] => {
  const some = all.filter(one => picks.some(pick => nameOf(one).includes(pick)))
  return some.length > 0 ? some : all
}
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const withPython = hasPython()
if (!withPython) say('left out: python3 with venv is not here, so no client of PyPI is played')
const clients = picked([...NODE_CLIENTS, ...(withPython ? python : [])], ({ name }) => name)
const vendors = picked(Object.keys(VENDORS), name => name)
const cases = picked(CASES, ({ title }) => title)

/** A frame of the gateway, which runs in this process. */
const OURS = /\/(?:core|plugins|surfaces)\/[\w./-]+\.ts:/
// Some libraries leave a rejected promise behind beside the error that they throw. One of ours would be a bug.
process.on('unhandledRejection', reason => {
  const stack = reason instanceof Error ? (reason.stack ?? '') : ''
  if (OURS.test(stack) && !stack.includes('node_modules')) throw reason
})

/** Most of their time goes by in pauses before another try. */
const AT_ONCE = 10

const pairs = clients.flatMap(client => vendors.map(vendor => ({ client, vendor, cells: [] as Played[] })))
const queue = [...pairs]
async function worker(): Promise<void> {
  for (let pair = queue.shift(); pair; pair = queue.shift()) {
    const { client, vendor } = pair
    pair.cells = await play(client, vendor, cases)
    const failed = pair.cells.filter(({ wrong }) => wrong.length > 0)
    say(`${failed.length === 0 ? 'ok  ' : 'FAIL'} ${client.name} before ${vendor}`)
    for (const { what, stream, wrong } of failed)
      for (const line of wrong) say(`     ${what.title}, ${stream ? 'streamed' : 'whole'}: ${line}`)
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, worker))
const played = pairs.flatMap(({ cells }) => cells)
say(`\n${tableOf(played)}\n`)
const readme = new URL('../README.md', import.meta.url)
const document = readFileSync(readme, 'utf8')
if (picks.length === 0) {
  const written = section(document, 'matrix', tableOf(played))
  writeFileSync(readme, section(written, 'left out', leftOut(played) || '- nothing'))
} else if (cases.length === CASES.length) writeFileSync(readme, withRows(document, 'matrix', tableOf(played), 3))
process.exit(played.some(({ wrong }) => wrong.length > 0) ? 1 : 0)
