import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ShadowChecks, upperBound } from '../../../../plugins/layers/semantic-cache/shadow.ts'

const BASE = 0.8

test('a cache without mistakes stays as open as it was', () => {
  const checks = new ShadowChecks(0.005)
  for (let i = 0; i < 100; i++) checks.record(BASE, 0.85, true)
  assert.is(checks.bar(BASE), BASE)
})

test('a few samples decide nothing', () => {
  const checks = new ShadowChecks(0.005)
  for (let i = 0; i < 10; i++) checks.record(BASE, 0.85, false)
  assert.is(checks.bar(BASE), BASE)
})

test('the bar rises above mistakes of low probability, and stays there whatever the judge asks for', () => {
  const checks = new ShadowChecks(0.005)
  for (let i = 0; i < 50; i++) checks.record(BASE, 0.97, true)
  for (let i = 0; i < 5; i++) checks.record(BASE, 0.82, false)
  const bar = checks.bar(BASE)
  assert.ok(bar > 0.82 && bar < 0.97)
  assert.is(checks.bar(0.5), bar)
  assert.is(checks.bar(0.96), 0.96, 'more entries ask for more')
})

test('mistakes that are rare among very many are borne', () => {
  const checks = new ShadowChecks(0.05)
  for (let i = 0; i < 400; i++) checks.record(BASE, 0.9, i !== 200)
  assert.is(checks.bar(BASE), BASE)
})

test('where every bar lets too many mistakes through, nothing passes', () => {
  const checks = new ShadowChecks(0.005)
  for (let i = 0; i < 50; i++) checks.record(BASE, 1, false)
  assert.ok(checks.bar(BASE) > 1)
})

/** The definition: of 0 and just above each mistake, the lowest bar above which the samples stay within the limit. */
function leastByDefinition(samples: readonly (readonly [number, boolean])[], maxError: number): number {
  const above = samples.filter(([probability]) => probability >= BASE)
  const mistakes = above.flatMap(([probability, agrees]) => (agrees ? [] : [probability + 1e-6]))
  for (const bar of [0, ...mistakes.sort((a, b) => a - b)]) {
    const some = above.filter(([probability]) => probability >= bar)
    const wrong = some.filter(([, agrees]) => !agrees).length
    if (wrong === 0 || upperBound(wrong, some.length) <= maxError) return Math.max(BASE, bar)
  }
  return Number.POSITIVE_INFINITY
}

test('the bar is the lowest that keeps within the limit, with equal and close probabilities too', () => {
  let state = 7
  const chance = (): number => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return (state >> 8) / 0x7fffff
  }
  for (const [maxError, digits] of [
    [0.005, 2],
    [0.05, 3],
    [0.1, 7],
    [0.2, 4],
  ] as const) {
    const checks = new ShadowChecks(maxError)
    const samples: [number, boolean][] = []
    for (let i = 0; i < 300; i++) {
      const probability = Number((0.75 + chance() / 4).toFixed(digits))
      samples.push([probability, chance() < 4 * (probability - 0.75)])
      checks.record(BASE, ...(samples.at(-1) ?? [0, true]))
      if (samples.filter(([one]) => one >= BASE).length >= 30)
        assert.is(checks.bar(BASE), leastByDefinition(samples, maxError))
    }
  }
})

test('a check costs little however many are remembered and however many are mistakes', () => {
  const checks = new ShadowChecks(0.005)
  let reads = 0
  /** A probability that counts how often it is looked at. */
  const counted = (probability: number): number => {
    const read = (): number => {
      reads++
      return probability
    }
    return { [Symbol.toPrimitive]: read } as unknown as number // to arithmetic it is one
  }
  for (let i = 0; i < 2000; i++) checks.record(BASE, counted(0.8 + i / 20_000), i % 2 === 0)
  for (let i = 0; i < 20; i++) {
    reads = 0
    checks.record(BASE, counted(0.85 + i / 1000), i % 2 === 0)
    // Enough to sort them; to look at all for each mistake would take two million.
    assert.ok(reads > 2000 && reads < 60_000, `${reads} reads`)
  }
})

test('the bound narrows with the samples', () => {
  assert.ok(upperBound(1, 10) > upperBound(10, 100))
  assert.ok(upperBound(0, 1000) < 0.005)
  assert.is(upperBound(0, 0), 1)
})

test.run()
