import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { categoryOf, comparable, decide, nearest } from '../../../../plugins/layers/semantic-cache/decide.ts'
import { FEATURES, features } from '../../../../plugins/layers/semantic-cache/features.ts'
import { withoutTypos } from '../../../../plugins/layers/semantic-cache/typos.ts'
import { Verifier } from '../../../../plugins/layers/semantic-cache/verifier.ts'
import { BARS, WEIGHTS } from '../../../../plugins/layers/semantic-cache/verifier-weights.ts'

const verifier = new Verifier(WEIGHTS)
const candidate = (id: string, text: string, similarity: number) => ({ id, text, similarity })
const ask = (text: string, ...candidates: ReturnType<typeof candidate>[]) =>
  decide(comparable(text), candidates, verifier, BARS)

test('takes the same question in other words', () => {
  assert.is(
    ask('How do I cancel my subscription plan?', candidate('a', 'How can I cancel a subscription plan?', 0.97)).hit?.id,
    'a',
  )
})

test('says why each nearer candidate was refused, and goes on to the next', () => {
  const { hit, refused } = ask(
    'How do I enable two factor login for my account?',
    candidate('off', 'How do I disable two factor login for my account?', 0.98),
    candidate('on', 'How can I enable two factor login for an account?', 0.96),
  )
  assert.is(hit?.id, 'on')
  assert.equal(
    refused.map(({ candidate: { id }, reason }) => [id, reason]),
    [['off', 'opposites']],
  )
})

test('words that are near but say something else are for the verifier', () => {
  const { hit, refused } = ask('How do I learn guitar?', candidate('a', 'How do I learn guitar alone?', 0.95))
  assert.is(hit, undefined)
  assert.is(refused[0]?.reason, 'verifier')
})

test('a cosine alone takes what guards refuse', () => {
  const text = 'How do I enable two factor login for my account?'
  const trap = candidate('off', 'How do I disable two factor login for my account?', 0.98)
  assert.is(ask(text, trap).hit, undefined)
  assert.is(nearest(comparable(text), [trap]).hit?.id, 'off')
  assert.is(nearest(comparable(text), []).hit, undefined)
})

test('looks at no candidate without need', () => {
  assert.equal(ask('What is a mutex?').refused, [])
})

test('technical prompts are told from others', () => {
  assert.is(categoryOf(comparable('List the files in a directory')), 'code')
  assert.is(categoryOf(comparable('Why is getUser slow?')), 'code')
  assert.is(categoryOf(comparable('Where do penguins live?')), 'text')
})

test('a pair has the same features both ways round', () => {
  const [a, b] = [
    comparable('How do I ship a parcel abroad?'),
    comparable('What does shipping a package overseas cost?'),
  ]
  assert.equal([...features(a, b, 0.9)], [...features(b, a, 0.9)])
  assert.is(features(a, b, 0.9).length, FEATURES.length)
  for (const value of features(a, b, 0.9)) assert.ok(value >= 0 && value <= 1)
})

test('a slip of the finger is read as the word that was meant, and two words are not', () => {
  const read = (a: string, b: string): string =>
    withoutTypos(comparable(a), comparable(b))
      .tokens.map(({ text }) => text)
      .join(' ')
  assert.is(read('explian recursion', 'explain recursion'), 'explain recursion')
  assert.is(read('what is a foregin key', 'what is a foreign key'), 'what is foreign key')
  assert.is(read('a list that is sorted', 'a list that is stored'), 'list that is sorted')
})

test('weights of other features are refused', () => {
  assert.throws(() => new Verifier({ ...WEIGHTS, features: ['cosine'] }), /other features/)
})

test.run()
