import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { story, storyLines } from '../../ui-tui/story.ts'

const WIDE = Number.POSITIVE_INFINITY

const told = (outcome: string): string[] => {
  const found = {
    ...{ source: 'memory', request_id: 'one', timestamp: '2026-01-01T12:00:00.000Z', surface: 'native' },
    ...{ client: 'direct', tool: 'curl', endpoint_family: 'native', final_layer: 'l3', deflected: false },
    ...{ latency_ms: 2, attempts: [], trail: [{ hook: 'answer', layer: 'semantic-cache', ms: 1, outcome }] },
  }
  return storyLines(story.parse(found), WIDE)
}

test('a stored prompt that was compared stands in a line of its own, with the whole id of its request', () => {
  const id = 'nheszfxr5aaaaaaaaaaaaaaa'
  const judged = told(`refused improbable 0.9030 0.1702 ${id}`)
  assert.match(judged.join('\n'), /^answer +semantic-cache +1\.00 ms +refused improbable$/m)
  assert.is(judged.at(-1), `semantic-cache compared the prompt of request ${id}: similarity 0.9030, probability 0.1702`)
  const byRule = told(`refused numbers 0.9434 0.0000 ${id}`)
  assert.is(byRule.at(-1), `semantic-cache compared the prompt of request ${id}: similarity 0.9434`)
  assert.match(told('miss').at(-1) ?? '', /miss$/)
})

test.run()
