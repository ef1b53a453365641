import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { tagsOf } from '../../../plugins/formats/request-tags.ts'

const tags = (header: string): string[] => tagsOf({ 'x-service-tags': header })

test('a request has the tags of its header, each once, and none without it', () => {
  assert.equal(tags('team-a, release ,,team-a'), ['team-a', 'release'])
  assert.equal(tags(' , '), [])
  assert.equal(tagsOf({}), [])
})

test('eight tags count, and 64 characters of each', () => {
  const many = Array.from({ length: 20 }, (_, at) => `tag-${at}`)
  assert.equal(tags(many.join()), many.slice(0, 8))
  assert.equal(tags('x'.repeat(100)), ['x'.repeat(64)])
})

test.run()
