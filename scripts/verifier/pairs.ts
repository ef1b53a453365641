// What the decision makes of pairs that were written for it and that no weight was trained on: `pairs/same.tsv` (domain and
// two prompts with one answer) and `pairs/traps.tsv` (class and two prompts that look alike and have two answers). A trap
// counts when either way round is served.
//   node --conditions development --import tsx scripts/verifier/pairs.ts [--show]
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { embedder } from './embedder.ts'
import { servedBy } from './served.ts'
import { dot, share } from './streams.ts'

const { values } = parseArgs({ options: { show: { type: 'boolean', default: false } } })
const threshold = 0.85
const embed = await embedder(undefined)
const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function served(a: string, b: string): Promise<boolean> {
  const [x, y] = await embed([a, b])
  if (!x || !y) return false
  const near = { cosine: dot(x, y), threshold }
  return (servedBy(a, b, near) ?? servedBy(b, a, near)) !== undefined
}

for (const [file, what] of [
  ['same', 'one answer, served'],
  ['traps', 'two answers, served all the same'],
] as const) {
  const rows = readFileSync(new URL(`pairs/${file}.tsv`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const kinds = new Map<string, { pairs: number; served: string[] }>()
  for (const row of rows) {
    const [kind = '', a = '', b = ''] = row.split('\t')
    const found = kinds.get(kind) ?? { pairs: 0, served: [] }
    kinds.set(kind, found)
    found.pairs++
    if (await served(a, b)) found.served.push(`${a} | ${b}`)
  }
  const all = [...kinds.values()].reduce((sum, { served }) => sum + served.length, 0)
  print(`${what}: ${all} of ${rows.length}, ${share(all, rows.length)}`)
  for (const [kind, { pairs, served }] of kinds) {
    print(`  ${kind.padEnd(24)} ${String(served.length).padStart(4)} of ${pairs}`)
    if (values.show) for (const line of served) print(`    ${line}`)
  }
}
