import { readFileSync } from 'node:fs'
import { packaged } from 'deflector/files'
import { eachGram } from './grams.ts'

/** A step as a 32-bit float, then one signed byte for each bucket of runs of letters: 256 KB, read once with this module. */
const file = readFileSync(packaged('models/deflector-language/weights.bin'))
const step = file.readFloatLE(0)
const weights = new Int8Array(file.buffer, file.byteOffset + 4, file.length - 4)

/** Log odds that words in Latin letters are English rather than of any other language; 0 for none. */
export function soundsEnglish(words: readonly string[]): number {
  let sum = 0
  eachGram(words, weights.length, bucket => {
    sum += weights[bucket] ?? 0
  })
  return sum * step
}
