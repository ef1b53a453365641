// `npm run bench:semantic`: how often the semantic cache is right and wrong, and what it costs.
//   npm run bench:semantic -- [--only streams|shares|languages|traps|rules|reliability|cost] [--part calibrate|test]
// The part "test" of our own pairs is for the last measurement of a model, once.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { root, shared } from '../../scripts/pair/labelled.ts'
import { costPart } from './semantic-cost.ts'
import { Judged } from './semantic-judged.ts'
import { streamsPart } from './semantic-streams.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, part: { type: 'string', default: 'calibrate' } },
})
const part = z.enum(['train', 'calibrate', 'test']).parse(values.part)

let judged: Promise<Judged> | undefined
const judge = (): Promise<Judged> => {
  judged ??= Judged.open(part)
  return judged
}

const PARTS: Readonly<Record<string, () => Promise<string>>> = {
  streams: streamsPart,
  shares: async () => (await judge()).shares(),
  languages: async () => (await judge()).languages(),
  traps: async () => (await judge()).traps(),
  rules: async () => (await judge()).rules(),
  reliability: async () => (await judge()).reliability(),
  cost: costPart,
}

async function main(): Promise<void> {
  if (!existsSync(join(shared, 'semantic'))) return console.log(`skipped: the labelled traffic is not here (${shared})`)
  const wanted = values.only ?? Object.keys(PARTS)
  const unknown = wanted.find(name => !(name in PARTS))
  if (unknown !== undefined) throw new Error(`there is no part "${unknown}", only ${Object.keys(PARTS).join(', ')}`)
  const told = [`# Semantic cache\n\nNode ${process.version}, default settings but for a time to live of a day.`]
  for (const name of wanted) {
    const text = (await PARTS[name]?.()) ?? ''
    console.log(text)
    told.push(text)
  }
  const out = join(root, 'test/bench/out')
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'semantic.md'), `${told.join('\n')}\n`)
}

await main()
