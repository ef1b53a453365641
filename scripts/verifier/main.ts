// Makes the verifier of the semantic cache: fits the word table, replays the development streams with the built-in
// model, trains on the candidate pairs that the replay meets, and writes the weights. Same input, same bytes.
//   npm run model:verifier            (needs ../shared/data; rows of source `qqp` are measured and never trained on)
import { existsSync, writeFileSync } from 'node:fs'
import { FEATURES, features } from '../../plugins/layers/semantic-cache/features.ts'
import { refusal } from '../../plugins/layers/semantic-cache/guards/table.ts'
import { withoutTypos } from '../../plugins/layers/semantic-cache/typos.ts'
import { embedder } from './embedder.ts'
import { isSame, readStream, type Stream } from './streams.ts'
import { type Example, train } from './train.ts'

const DATA = '../shared/data/semantic'
const STREAMS = ['stream_mixed.jsonl', 'stream_isartor_faq.jsonl']
const THRESHOLD = 0.85
const CANDIDATES = 8
/** Of the text of these no weight may be made. */
const MEASURING_ONLY = new Set(['qqp'])
/** Least probability of a hit; shell and code cost more when they are wrong. */
const BARS = { code: 0.95, text: 0.93 }

if (!existsSync(DATA)) {
  process.stdout.write(`${DATA} is not here: nothing to train on\n`)
  process.exit(0)
}
const embed = await embedder(process.argv[2])
const examples: Example[] = []
for (const file of STREAMS) examples.push(...examplesOf(await readStream(`${DATA}/${file}`, embed, THRESHOLD)))
const weights = train(examples, FEATURES, { epochs: 60, decay: 0.2, units: 16 })
writeFileSync(
  new URL('../../plugins/layers/semantic-cache/verifier-weights.ts', import.meta.url),
  `import type { Bars } from './decide.ts'
import type { VerifierWeights } from './verifier.ts'

/** Written by \`npm run model:verifier\` from ${examples.length} candidate pairs of the development streams. */
export const WEIGHTS: VerifierWeights = JSON.parse(
  '${JSON.stringify(weights)}',
)

/** The least probability of a hit. */
export const BARS: Bars = ${JSON.stringify(BARS).replaceAll('"', '').replaceAll(':', ': ').replaceAll(',', ', ').replace('{', '{ ').replace('}', ' }')}
`,
)
process.stdout.write(`${examples.length} pairs, ${examples.filter(({ same }) => same).length} of them the same\n`)

/** The pairs that pass the guards: each request beside its nearest earlier ones, each of those once. */
function examplesOf(stream: Stream): Example[] {
  return stream.rows.flatMap((row, i) => {
    if (stream.levels[i] !== 'yes' || MEASURING_ONLY.has(row.source)) return []
    const seen = new Set([stream.keys[i]])
    const found: Example[] = []
    for (const { at, cosine } of stream.near[i] ?? []) {
      const other = stream.rows[at]
      if (!other || seen.has(stream.keys[at]) || stream.levels[at] !== 'yes') continue
      if (MEASURING_ONLY.has(other.source)) continue
      seen.add(stream.keys[at])
      if (seen.size > CANDIDATES + 1) break
      const [prompt, candidate] = [stream.readings[i], stream.readings[at]]
      if (!prompt || !candidate) continue
      const read = withoutTypos(prompt, candidate)
      if (refusal(read, candidate) === undefined)
        found.push({ features: features(read, candidate, cosine), same: isSame(row, other), weight: 1 })
    }
    return found
  })
}
