import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { madeSentences, reworded, seeded } from './sentences.ts'

test('made sentences are all different, and the same ones for the same seed', () => {
  const made = madeSentences(seeded(1), 3000)
  assert.is(new Set(made).size, 3000)
  assert.equal(made, madeSentences(seeded(1), 3000))
  assert.not.equal(made, madeSentences(seeded(2), 3000))
})

test('asked for more than there are, gives what there are', () => {
  const made = madeSentences(seeded(1), 1_000_000)
  assert.ok(made.length > 90_000 && made.length < 1_000_000, `${made.length}`)
})

test('a reworded sentence is another one, of nearly the same words', () => {
  const random = seeded(1)
  for (const text of [...madeSentences(random, 50), 'two words', 'one']) {
    const other = reworded(text, random)
    assert.is.not(other, text)
    const words = text.split(' ')
    const kept = words.filter(word => other.includes(word)).length
    assert.ok(kept >= words.length - 1, other)
  }
})

test.run()
