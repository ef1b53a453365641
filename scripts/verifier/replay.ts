// Replays the development streams and pairs through the decision, in process: seconds instead of a gateway's minutes.
//   node --conditions development --import tsx scripts/verifier/replay.ts [--model module.ts] [--show] [--data folder]
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { categoryOf, evaluate } from '../../plugins/layers/semantic-cache/decide.ts'
import { Verifier } from '../../plugins/layers/semantic-cache/verifier.ts'
import { BARS, WEIGHTS } from '../../plugins/layers/semantic-cache/verifier-weights.ts'
import { embedder } from './embedder.ts'
import { servedBy } from './served.ts'
import { dot, readStream, replay, share, summary } from './streams.ts'

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    data: { type: 'string', default: '../shared/data/semantic' },
    threshold: { type: 'string', default: '0.85' },
    show: { type: 'boolean', default: false },
  },
})
const threshold = Number(values.threshold)
if (!existsSync(values.data)) {
  process.stdout.write(`${values.data} is not here: nothing to replay\n`)
  process.exit(0)
}
const embed = await embedder(values.model)
const verifier = new Verifier(WEIGHTS)
const print = (line: string): void => void process.stdout.write(`${line}\n`)

for (const file of ['stream_mixed.jsonl', 'stream_isartor_faq.jsonl']) {
  const stream = await readStream(`${values.data}/${file}`, embed, threshold)
  const { hits, refused } = replay(
    stream,
    (i, at, cosine) => {
      const [prompt, candidate] = [stream.readings[i], stream.readings[at]]
      if (!prompt || !candidate) throw new RangeError(`no row ${i} or ${at}`)
      const result = evaluate(prompt, candidate, cosine, verifier)
      if (typeof result === 'string') return result
      return result >= BARS[categoryOf(prompt)] ? undefined : 'verifier'
    },
    threshold,
  )
  print(`\n${file}\n${summary(stream, hits)}`)
  print(`refused: ${[...refused].map(([reason, count]) => `${reason} ${count}`).join(', ')}`)
  if (values.show)
    for (const { row, origin, by, right, cosine } of hits)
      if (!right) print(`  false ${row.source} ${by} ${cosine.toFixed(3)} | ${origin.prompt} | ${row.prompt}`)
}

interface Pair {
  readonly a: string
  readonly b: string
  readonly same: boolean | number
  readonly source: string
  readonly cat?: string
}

const pairs: Pair[] = readFileSync(`${values.data}/pairs.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line))
const groups = new Map<string, { pairs: number; hits: number; shown: string[] }>()
for (const { a, b, same, source, cat } of pairs) {
  const [x, y] = await embed([a, b])
  if (!x || !y) continue
  const name = `${source} ${cat ?? (same ? 'same' : 'different')}`
  const group = groups.get(name) ?? { pairs: 0, hits: 0, shown: [] }
  groups.set(name, group)
  group.pairs++
  const hit = a === b || servedBy(a, b, { cosine: dot(x, y), threshold }) !== undefined
  if (hit) group.hits++
  if (hit === !same && ['adv_dev', 'own_intents'].includes(source)) group.shown.push(`${a} | ${b}`)
}
print('\npairs (hits are right where the pair is the same, false elsewhere)')
for (const [name, { pairs: count, hits, shown }] of [...groups].sort()) {
  print(`${name.padEnd(28)} ${String(count).padStart(5)}  hits ${share(hits, count).padStart(8)} (${hits})`)
  if (values.show) for (const line of shown) print(`    ${line}`)
}
