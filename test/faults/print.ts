import { readFileSync, writeFileSync } from 'node:fs'
import { playAll, tableOf } from './table.ts'

/** Plays all faults and writes the table into the README beside this file. */
const readme = new URL('README.md', import.meta.url)
const [before = ''] = readFileSync(readme, 'utf8').split(/^\| {2}\| fault/m)
const table = tableOf(await playAll())
writeFileSync(readme, `${before}${table}\n`)
process.stdout.write(`${table}\n`)
