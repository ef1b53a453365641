import { readFileSync, writeFileSync } from 'node:fs'
import { section } from '../section.ts'
import { CASES } from './cases.ts'
import { CLIENTS } from './clients/index.ts'
import { type Played, play } from './play.ts'
import { VENDORS } from './reached.ts'
import { leftOut, tableOf } from './table.ts'

/**
 * Every client before a vendor of every format. Arguments pick clients, vendors and cases by part of their name; only a
 * run of everything writes the README.
 */
const picks = process.argv.slice(2)
const picked = <T>(all: readonly T[], nameOf: (one: T) => string): readonly T[] => {
  const some = all.filter(one => picks.some(pick => nameOf(one).includes(pick)))
  return some.length > 0 ? some : all
}
const clients = picked(CLIENTS, ({ name }) => name)
const vendors = picked(Object.keys(VENDORS), name => name)
const cases = picked(CASES, ({ title }) => title)

const played: Played[] = []
for (const client of clients) {
  for (const vendor of vendors) {
    const cells = await play(client, vendor, cases)
    played.push(...cells)
    const failed = cells.filter(({ wrong }) => wrong.length > 0)
    console.log(`${failed.length === 0 ? 'ok  ' : 'FAIL'} ${client.name} before ${vendor}`)
    for (const { what, stream, wrong } of failed)
      for (const line of wrong) console.log(`     ${what.title}, ${stream ? 'streamed' : 'whole'}: ${line}`)
  }
}
console.log(`\n${tableOf(played)}\n`)
if (picks.length === 0) {
  const readme = new URL('../README.md', import.meta.url)
  writeFileSync(
    readme,
    section(
      readFileSync(readme, 'utf8'),
      'matrix',
      `${tableOf(played)}\n\nLeft out:\n\n${leftOut(played) || '- nothing'}`,
    ),
  )
}
process.exit(played.some(({ wrong }) => wrong.length > 0) ? 1 : 0)
