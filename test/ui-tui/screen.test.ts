import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { frameChanges } from '../../ui-tui/screen.ts'

test('only lines that have changed are painted, each at its place, and lines that are gone are erased', () => {
  const first = frameChanges('one\ntwo', [], 3)
  assert.equal(first.lines, ['one', 'two', ''])
  assert.equal(first.changes, [
    '\u001b[1;1H\u001b[2Kone\u001b[0m',
    '\u001b[2;1H\u001b[2Ktwo\u001b[0m',
    '\u001b[3;1H\u001b[2K\u001b[0m',
  ])
  const second = frameChanges('one\n2', first.lines, 3)
  assert.equal(second.changes, ['\u001b[2;1H\u001b[2K2\u001b[0m'])
  assert.equal(frameChanges('one\n2', second.lines, 3).changes, [])
  assert.is(frameChanges('a\nb\nc\nd', [], 2).changes.length, 2, 'nothing below the last line')
})

test.run()
