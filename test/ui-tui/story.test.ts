import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { story, storyLines } from '../../ui-tui/story.ts'

const WIDE = Number.POSITIVE_INFINITY
const ID = 'cnzihvt2nseaaaaaaaaaaaaa'

const STORY = {
  ...{ source: 'memory', request_id: 'one', timestamp: '2026-01-01T12:00:00.000Z', surface: 'native' },
  ...{ client: 'direct', tool: 'curl', endpoint_family: 'native', final_layer: 'l3', deflected: false },
  ...{ latency_ms: 2, attempts: [], trail: [] },
}

/** The lines of a request whose one step ended so. */
const told = (step: object, columns = WIDE): string[] => {
  const found = { ...STORY, trail: [{ hook: 'answer', layer: 'semantic-cache', ms: 1, ...step }] }
  return storyLines(story.parse(found), columns)
}

const IMPROBABLE = {
  outcome: `refused improbable 0.9030 0.1702 ${ID}`,
  words: 'served nothing: the nearest stored prompt is not likely enough to have the same answer',
  neighbour: { similarity: 0.903, probability: 0.1702, id: ID },
}

test('what a layer compared stands below the table, with the figures and the whole id', () => {
  const lines = told(IMPROBABLE)
  assert.match(lines.join('\n'), /^answer +semantic-cache +1\.00 ms +refused improbable$/m)
  assert.equal(lines.slice(-3), [
    `semantic-cache ${IMPROBABLE.words}`,
    '  similarity 0.9030, probability 0.1702',
    `  stored by request ${ID}`,
  ])
})

test('without a probability the similarity stands alone', () => {
  const step = { outcome: `refused order 0.9797 0.0000 ${ID}`, words: 'w', neighbour: { similarity: 0.9797, id: ID } }
  assert.equal(told(step).slice(-3), ['semantic-cache w', '  similarity 0.9797', `  stored by request ${ID}`])
})

test('an outcome that spells its neighbour in another way stays whole', () => {
  const lines = told({ outcome: 'near 0.93 abc', words: 'w', neighbour: { similarity: 0.93, id: ID } })
  assert.match(lines.join('\n'), /^answer +semantic-cache +1\.00 ms +near 0\.93 abc$/m)
})

test('on a narrow terminal the words go on in the next line, and no id is cut', () => {
  const lines = told(IMPROBABLE, 60)
  for (const line of lines) assert.ok(line.length <= 60, line)
  assert.ok(lines.includes(`  stored by request ${ID}`), lines.join('\n'))
  assert.match(lines.join(' '), /likely enough to have the same answer/)
})

test('an outcome without words stays as it was noted', () => {
  for (const outcome of ['hit', 'passed', 'of a plugin'])
    assert.match(told({ outcome }).at(-1) ?? '', new RegExp(`ms +${outcome}$`))
})

test('the steps of several attempts say which one they belong to', () => {
  const step = { hook: 'attempt', layer: 'quota', ms: 1, outcome: 'passed' }
  const lines = storyLines(story.parse({ ...STORY, trail: [1, 2].map(attempt => ({ ...step, attempt })) }), WIDE)
  assert.match(lines.join('\n'), /^attempt 1 +quota .*\nattempt 2 +quota /m)
})

test('what was wrong with a provider stands below its calls, once', () => {
  const call = {
    provider: 'first',
    outcome: 'failed',
    reason: 'protocol',
    ms: 1,
    fault: 'the vendor sent an empty answer',
  }
  const lines = storyLines(story.parse({ ...STORY, attempts: [call, call] }), WIDE)
  assert.equal(lines.filter(line => line === 'first: the vendor sent an empty answer').length, 1, lines.join('\n'))
})

test.run()
