import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { UnderWay, UnderWayByKey } from '../../core/under-way.ts'

test('what was taken away is gone, in whatever order', () => {
  const underWay = new UnderWay<string>()
  const remove = new Map(['a', 'b', 'c', 'd'].map(item => [item, underWay.add(item)]))
  const after: string[][] = []
  for (const item of ['b', 'd', 'a', 'c']) {
    remove.get(item)?.()
    after.push(underWay.items.toSorted())
  }
  assert.equal(after, [['a', 'c', 'd'], ['a', 'c'], ['c'], []])
})

test('to take an item away twice takes no other away', () => {
  const underWay = new UnderWay<string>()
  const remove = underWay.add('a')
  remove()
  underWay.add('b')
  remove()
  assert.equal(underWay.items, ['b'])
})

test('what is under way by key is found until it goes, and the next one takes its place', () => {
  const calls = new UnderWayByKey<string>()
  calls.set('a', 'first')
  calls.set('a', 'second')
  assert.equal([calls.get('a'), calls.get('b'), calls.size], ['second', undefined, 1])
  calls.delete('a')
  calls.delete('a')
  assert.equal([calls.get('a'), calls.size], [undefined, 0])
})

test.run()
