import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cacheable, isShort, leans } from '../../../../plugins/layers/semantic-cache/cacheable.ts'

test('a plain question may be answered by a likeness', () => {
  assert.is(cacheable('How do I undo a commit?'), 'yes')
})

test('what changes by itself, or shall be another one, is for the exact cache', () => {
  for (const text of [
    'Give me a random number',
    'Tell me another joke',
    'What is the weather today?',
    'Show my latest orders',
  ])
    assert.is(cacheable(text), 'volatile', text)
})

test('pasted code and long prompts are answered exactly or not at all', () => {
  assert.is(cacheable('Why does this fail?\n```js\nlet a\n```'), 'long_or_code')
  assert.is(cacheable('fix this\nfunction f(a) {\n  return a;\n}'), 'long_or_code')
  assert.is(cacheable('Traceback (most recent call last):\n  File "a.py", line 3\n    import foo;'), 'long_or_code')
  assert.is(cacheable('word '.repeat(500)), 'long_or_code')
  assert.is(cacheable('   '), 'long_or_code')
})

test('a short or pointing turn leans on the ones before it', () => {
  assert.ok(isShort('and in Python?'))
  assert.not.ok(isShort('How do I sort a list of numbers by size in Python three'))
  assert.ok(leans('Explain that in more detail for somebody who is new to all of programming'))
  assert.not.ok(leans('How do I sort a list of numbers by size in Python three'))
})

test.run()
