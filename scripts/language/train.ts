// Learns to tell English from other languages in Latin letters: a logistic regression on runs of letters and on words.
//   node --conditions development --import tsx scripts/language/train.ts [--work folder] [--out weights.bin]
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { eachGram } from '../../plugins/models/pair/grams.ts'
import { root } from '../pair/labelled.ts'
import { Draw } from './draw.ts'
import { examples } from './examples.ts'

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: `${root}.language` },
    out: { type: 'string', default: `${root}models/deflector-language/weights.bin` },
  },
})
/** With half as many a fourth more of the examples are wrong. */
const BUCKETS = 1 << 18
const EPOCHS = 3
const RATE = 0.15

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const all = examples(values.work, new Draw(1))
const english = all.filter(one => one.english).length
print(`${english} English, ${all.length - english} others`)
/** Both sides weigh the same. */
const weightOfOthers = english / (all.length - english)

const weights = new Float32Array(BUCKETS)
const squares = new Float32Array(BUCKETS).fill(1e-6)
for (let epoch = 0; epoch < EPOCHS; epoch++) {
  // AdaGrad, with a rate that falls from epoch to epoch.
  const rate = RATE * (1 - epoch / EPOCHS)
  let wrong = 0
  for (const { words, english } of all) {
    const buckets: number[] = []
    eachGram(words, BUCKETS, bucket => void buckets.push(bucket))
    let sum = 0
    for (const bucket of buckets) sum += weights[bucket] ?? 0
    if (sum > 0 !== english) wrong++
    const slope = english ? 1 / (1 + Math.exp(-sum)) - 1 : weightOfOthers / (1 + Math.exp(-sum))
    if (Math.abs(slope) < 1e-4) continue
    for (const bucket of buckets) {
      const square = (squares[bucket] ?? 0) + slope * slope
      squares[bucket] = square
      weights[bucket] = (weights[bucket] ?? 0) - (rate * slope) / Math.sqrt(square)
    }
  }
  print(`epoch ${epoch + 1}: ${((100 * wrong) / all.length).toFixed(2)} % wrong`)
}

/** All but one of 2,000 weights lie within the range of a byte; the few beyond become its ends. */
const step = (weights.map(Math.abs).sort()[Math.floor(BUCKETS * 0.9995)] ?? 0) / 127
const bytes = Buffer.alloc(4 + BUCKETS)
bytes.writeFloatLE(step)
for (const [i, weight] of weights.entries())
  bytes.writeInt8(Math.max(-127, Math.min(127, Math.round(weight / step))), 4 + i)
writeFileSync(values.out, bytes)
