import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { comparable, evaluate } from '../../../../plugins/layers/semantic-cache/decide.ts'
import { withoutTypos } from '../../../../plugins/layers/semantic-cache/typos.ts'
import { Verifier } from '../../../../plugins/layers/semantic-cache/verifier.ts'
import { WEIGHTS } from '../../../../plugins/layers/semantic-cache/verifier-weights.ts'

const read = (a: string, b: string): string =>
  withoutTypos(comparable(a), comparable(b))
    .tokens.map(({ text }) => text)
    .join(' ')

test('a word that nobody knows is read as the one that its letters make', () => {
  assert.is(read('explian recursion', 'explain recursion'), 'explain recursion')
  assert.is(read('recent pyaments', 'recent payments'), 'recent payments')
  assert.is(read('install docker in pyhton', 'install docker in python'), 'install docker in python')
})

test('two words are two words, however alike', () => {
  for (const [a, b] of [
    ['a trail map', 'a trial map'],
    ['draw an angel', 'draw an angle'],
    ['an untied shoelace', 'an united shoelace'],
    ['train my brain', 'train my brian'],
    ['a sacred place', 'a scared place'],
    ['causal models', 'casual models'],
    ['a brown house', 'a brown horse'],
    ['sorted lists', 'stored lists'],
    ['an advice column', 'an advise column'],
  ] as const) {
    assert.is(read(a, b), read(a, a), `${a} | ${b}`)
    assert.is(read(b, a), read(b, b), `${b} | ${a}`)
  }
})

test('what turns a question round is seen by the guards as it was written', () => {
  const verifier = new Verifier(WEIGHTS)
  for (const [a, b, reason] of [
    ['is it never safe to eat raw fish', 'is it ever safe to eat raw fish', 'negation'],
    ['bake bread wihtout yeast', 'bake bread without yeast', 'negation'],
    ['how many teams were in the thrid round', 'how many teams were in the third round', 'numbers'],
  ] as const) {
    assert.is(evaluate(comparable(a), comparable(b), 0.99, verifier), reason, `${a} | ${b}`)
    assert.is(evaluate(comparable(b), comparable(a), 0.99, verifier), reason, `${b} | ${a}`)
  }
})

test.run()
