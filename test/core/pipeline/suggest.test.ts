import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { didYouMean, editDistance, suggest } from '../../../core/pipeline/suggest.ts'

test('the distance counts letters changed, added, left out and swapped', () => {
  assert.is(editDistance('cloud', 'cloud'), 0)
  assert.is(editDistance('cloud', 'clout'), 1)
  assert.is(editDistance('clud', 'cloud'), 1)
  assert.is(editDistance('cloudd', 'cloud'), 1)
  assert.is(editDistance('colud', 'cloud'), 1)
  assert.is(editDistance('', 'abc'), 3)
  assert.is(editDistance('kitten', 'sitting'), 3)
})

test('the nearest candidate is suggested, and none when all are far', () => {
  assert.is(suggest('exact-cahce', ['exact-cache', 'semantic-cache']), 'exact-cache')
  assert.is(suggest('exact_cache', ['cloud', 'exact-cache']), 'exact-cache')
  assert.is(suggest('zebra', ['cloud', 'exact-cache']), undefined)
  assert.is(suggest('ab', ['xy']), undefined)
  assert.is(suggest('port', ['host', 'server.port']), 'server.port')
  assert.is(suggest('SERVICE__LAYER2__MODE', ['SERVICE__MODEL', 'SERVICE__SLM__MODE']), 'SERVICE__SLM__MODE')
})

test('nothing is said when there is nothing to say', () => {
  assert.is(didYouMean('zebra', ['cloud']), '')
  assert.is(didYouMean('clod', ['cloud']), '; did you mean "cloud"?')
})

test.run()
