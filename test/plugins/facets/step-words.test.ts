import { type ReadStep, stepWords, wordsFrom } from 'deflector/facets/step-words'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readStep as classifier } from '../../../plugins/layers/classifier/step-words.ts'
import optimiser from '../../../plugins/layers/optimiser/index.ts'
import { readStep as semantic } from '../../../plugins/layers/semantic-cache/step-words.ts'
import { readStep as slm } from '../../../plugins/layers/slm/step-words.ts'
import { testHost } from '../../contracts/host.ts'

const READERS: Readonly<Record<string, ReadStep>> = { classifier, semantic, slm, few: wordsFrom({ gone: 'is gone' }) }

test('a note that is called as a member of every object has no words of its own', () => {
  for (const [name, read] of Object.entries(READERS))
    for (const member of ['constructor', 'toString', '__proto__']) assert.is(read(member), undefined, name)
  for (const kind of ['declined', 'rejected']) assert.match(slm(`${kind} constructor`)?.words ?? '', /: constructor$/)
  assert.match(semantic('skipped constructor')?.words ?? '', /: constructor$/)
  assert.match(semantic('refused constructor 0.9000 r-1')?.words ?? '', /is another question \(rule "constructor"\)$/)
  assert.is(READERS.few?.('gone')?.words, 'is gone')
})

test('the optimiser says each of its outcomes in words, on or off', () => {
  const host = testHost('layer')
  host.apply(optimiser, { enabled: false })
  const read = host.offer(stepWords)
  for (const outcome of ['shortened', 'marked', 'no_instructions', 'unchanged', 'left_alone'])
    assert.match(read?.(outcome)?.words ?? '', / /, outcome)
})

test.run()
