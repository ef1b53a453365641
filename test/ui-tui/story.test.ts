import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { story, storyLines } from '../../ui-tui/story.ts'

const WIDE = Number.POSITIVE_INFINITY

const told = (outcome: string, columns = WIDE): string[] => {
  const found = {
    ...{ source: 'memory', request_id: 'one', timestamp: '2026-01-01T12:00:00.000Z', surface: 'native' },
    ...{ client: 'direct', tool: 'curl', endpoint_family: 'native', final_layer: 'l3', deflected: false },
    ...{ latency_ms: 2, attempts: [], trail: [{ hook: 'answer', layer: 'semantic-cache', ms: 1, outcome }] },
  }
  return storyLines(story.parse(found), columns)
}

const ID = 'cnzihvt2nseaaaaaaaaaaaaa'

test('a rule that refused the nearest stored prompt is told in words, with the figures and the whole id', () => {
  const lines = told(`refused order 0.9797 0.0000 ${ID}`)
  assert.match(lines.join('\n'), /^answer +semantic-cache +1\.00 ms +refused order$/m)
  assert.equal(lines.slice(-3), [
    'semantic-cache served nothing: the nearest stored prompt has two things the other way round (rule "order")',
    '  similarity 0.9797; a rule refuses whatever the probability',
    `  stored by request ${ID}`,
  ])
  assert.match(
    told(`refused of_tomorrow 0.9797 0.0000 ${ID}`).at(-3) ?? '',
    /is another question \(rule "of tomorrow"\)$/,
  )
})

test('a prompt that is not likely enough has its probability, and the bar is named', () => {
  assert.equal(told(`refused improbable 0.9030 0.1702 ${ID}`).slice(-3), [
    'semantic-cache served nothing: the nearest stored prompt is not likely enough to have the same answer',
    '  similarity 0.9030, probability 0.1702, below the bar ("deflector cache why" tells it)',
    `  stored by request ${ID}`,
  ])
})

test('a hit in other words says what it was compared with', () => {
  assert.equal(told(`similar 0.9812 0.9951 ${ID}`).slice(-3), [
    'semantic-cache served the answer to the same question in other words',
    '  similarity 0.9812, probability 0.9951',
    `  stored by request ${ID}`,
  ])
})

test('on a narrow terminal the words go on in the next line, and no id is cut', () => {
  const lines = told(`refused improbable 0.9030 0.1702 ${ID}`, 60)
  for (const line of lines) assert.ok(line.length <= 60, line)
  assert.ok(lines.includes(`  stored by request ${ID}`), lines.join('\n'))
  assert.match(lines.join(' '), /likely enough to have the same answer/)
})

test('a prompt that was not looked up says why, and plain outcomes stay as they are noted', () => {
  assert.is(
    told('skipped volatile').at(-1),
    'semantic-cache did not look the prompt up: its answer changes over time or should vary',
  )
  for (const plain of ['miss', 'passed', 'of a plugin'])
    assert.match(told(plain).at(-1) ?? '', new RegExp(`ms +${plain}$`))
})

test.run()
