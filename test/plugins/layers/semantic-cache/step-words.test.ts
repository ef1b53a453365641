import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readStep } from '../../../../plugins/layers/semantic-cache/step-words.ts'
import { RULES } from '../../../../plugins/models/pair/rules.ts'

test('a rule that refused the nearest stored prompt is told in words, without a probability', () => {
  assert.equal(readStep('refused order 0.9797 0.0000 r-1'), {
    words: 'served nothing: the nearest stored prompt has two things the other way round (rule "order")',
    neighbour: { similarity: 0.9797, id: 'r-1' },
  })
  assert.match(readStep('refused of_tomorrow 0.9797 r-1')?.words ?? '', /is another question \(rule "of tomorrow"\)$/)
})

test('every rule of the judge has its words', () => {
  for (const { id } of RULES) assert.not.match(readStep(`refused ${id} 0.9 r`)?.words ?? '', /another question/, id)
})

test('a prompt that is not likely enough has its probability, and so has a hit', () => {
  assert.equal(readStep('refused improbable 0.9030 0.1702 r-1')?.neighbour, {
    similarity: 0.903,
    probability: 0.1702,
    id: 'r-1',
  })
  assert.equal(readStep('similar 0.9812 0.9951 r-2'), {
    words: 'served the answer to the same question in other words',
    neighbour: { similarity: 0.9812, probability: 0.9951, id: 'r-2' },
  })
})

test('a prompt that was not looked up says why, and a plain hit says enough', () => {
  assert.is(
    readStep('skipped volatile')?.words,
    'did not look the prompt up: its answer changes over time or should vary',
  )
  assert.is(readStep('hit'), undefined)
})

test.run()
