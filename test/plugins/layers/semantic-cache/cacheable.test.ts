import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cacheable, leans } from '../../../../plugins/layers/semantic-cache/cacheable.ts'

test('a plain question may be answered by a likeness', () => {
  assert.is(cacheable('How do I undo a commit?'), 'yes')
})

test('what changes by itself, or shall be another one, needs the same words', () => {
  for (const text of [
    'Give me a random number',
    'Tell me another joke',
    'What is the weather today?',
    'What time is it now?',
    'What is the latest version of Node?',
    'Show my latest orders',
    'Who is the current president?',
  ])
    assert.is(cacheable(text), 'same_words', text)
})

test('pasted code and long prompts are answered exactly or not at all', () => {
  assert.is(cacheable('Why does this fail?\n```js\nlet a\n```'), 'no')
  assert.is(cacheable('fix this\nfunction f(a) {\n  return a;\n}'), 'no')
  assert.is(cacheable('Traceback (most recent call last):\n  File "a.py", line 3\n    import foo;'), 'no')
  assert.is(cacheable('word '.repeat(500)), 'no')
  assert.is(cacheable('   '), 'no')
})

test('a short or pointing turn leans on the ones before it', () => {
  for (const text of [
    'and in Python?',
    'Explain that in more detail for somebody who is new to all of programming',
    'why?',
  ])
    assert.ok(leans(text), text)
  assert.not.ok(leans('How do I sort a list of numbers by size in Python three'))
})

test.run()
