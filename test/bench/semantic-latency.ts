import { fileURLToPath } from 'node:url'
import { Entries } from '../../plugins/layers/semantic-cache/entries.ts'
import { StaticModel } from '../../plugins/models/static/static-model.ts'

export interface Latency {
  readonly entries: number
  /** Milliseconds. */
  readonly embedP50: number
  readonly embedP99: number
  readonly lookupP50: number
  readonly lookupP99: number
}

const SIZES = [0, 1000, 10_000, 50_000]
const ASKED = 2000
const LEAST = 0.85
const CANDIDATES = 8

/**
 * How long the built-in model takes for a prompt, and the layer's entries for its neighbours, in this process and in one
 * partition of each size. `prompts` are real ones; where they do not suffice, the rest is made of two of them.
 */
export function latencies(prompts: readonly string[]): Latency[] {
  const model = StaticModel.open(fileURLToPath(new URL('../../models/deflector-static-384', import.meta.url)))
  const entries = new Entries({ max_entries: 100_000, max_bytes: 1 << 30 })
  const asked = Array.from({ length: ASKED }, (_, i) => textAt(prompts, Math.floor((i * prompts.length) / ASKED)))
  const pass = (): Omit<Latency, 'entries'> => {
    const embed: number[] = []
    const lookup: number[] = []
    for (const text of asked) {
      const began = performance.now()
      const vector = model.embed(text)
      const embedded = performance.now()
      entries.near('one', vector, LEAST, CANDIDATES, 0)
      lookup.push(performance.now() - embedded)
      embed.push(embedded - began)
    }
    return {
      embedP50: at(embed, 0.5),
      embedP99: at(embed, 0.99),
      lookupP50: at(lookup, 0.5),
      lookupP99: at(lookup, 0.99),
    }
  }
  pass() // compilers warm up
  return SIZES.map(size => {
    for (let i = entries.size; i < size; i++) {
      const text = textAt(prompts, i)
      const id = String(i)
      entries.set({ id, partition: 'one', canonical: id, text, vector: model.embed(text), freshUntil: 1 })
    }
    return { entries: size, ...pass() }
  })
}

/** A stride that is no divisor of the round pairs each prompt with another one every time. */
const textAt = (prompts: readonly string[], i: number): string => {
  const [round, first] = [Math.floor(i / prompts.length), i % prompts.length]
  const text = prompts[first] ?? ''
  return round === 0 ? text : `${text} ${prompts[(first + round * 7919) % prompts.length] ?? ''}`
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN
