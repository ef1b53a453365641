import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { unifiedDiff } from '../../config/text-diff.ts'

const lines = (text: string): string[] => [...text]

test('equal texts have no difference', () => {
  assert.is(unifiedDiff(lines('abc'), lines('abc')), '')
})

test('lines that go and come are said with three lines around them', () => {
  assert.is(unifiedDiff(lines('abcdefgh'), lines('abcdXfgh')), '@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n')
  assert.is(unifiedDiff([], ['a']), '@@ -0,0 +1,1 @@\n+a\n')
  assert.is(unifiedDiff(['a'], []), '@@ -1,1 +0,0 @@\n-a\n')
})

test('changes that are far from each other are apart', () => {
  const diff = unifiedDiff(lines('abcdefghijklmnop'), lines('Xbcdefghijklmnop!'))
  assert.is(diff.match(/^@@/gm)?.length, 2)
  assert.match(diff, '@@ -14,3 +14,4 @@\n n\n o\n p\n+!\n')
})

test('a line that stays between two that change is no change', () => {
  assert.is(unifiedDiff(lines('axb'), lines('cxd')), '@@ -1,3 +1,3 @@\n-a\n+c\n x\n-b\n+d\n')
})

test('what is shown may be other lines than what is compared', () => {
  const shown = { before: ['key = …'], after: ['key = …'] }
  assert.is(unifiedDiff(['key = 1'], ['key = 2'], shown), '@@ -1,1 +1,1 @@\n-key = …\n+key = …\n')
})

test.run()
