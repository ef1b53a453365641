import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { dot } from '../../../../plugins/layers/semantic-cache/index/partition-index.ts'
import { StaticModel } from '../../../../plugins/models/static/static-model.ts'
import { servedBy } from '../../../../scripts/verifier/served.ts'
import { TRAPS } from './traps.ts'

const model = StaticModel.open(fileURLToPath(new URL('../../../../models/deflector-static-384', import.meta.url)))
const THRESHOLD = 0.85

/** Would the answer to one be served for the other, with the default settings? By what, if so. */
function served(stored: string, asked: string): string | undefined {
  const cosine = dot(model.embed(stored), model.embed(asked))
  return servedBy(stored, asked, { cosine, threshold: THRESHOLD })
}

for (const [what, pairs] of Object.entries(TRAPS))
  test(`${what} is another question, both ways round`, () => {
    const lines = pairs.trim().split('\n')
    assert.ok(lines.length >= 8)
    for (const line of lines) {
      const [a = '', b = ''] = line.split(' | ')
      assert.is(served(a, b), undefined, line)
      assert.is(served(b, a), undefined, `${b} | ${a}`)
    }
  })

test('and the same question in other words is none', () => {
  for (const [a, b] of [
    ['How do I cancel my subscription plan?', 'How can I cancel a subscription plan?'],
    ['What is the difference between a stack and a queue?', 'How does a stack differ from a queue?'],
    ['Can I top up with a cheque?', 'Is it possible to top up with a cheque?'],
    ['what is maternity leave', 'What does maternity leave mean?'],
    ['how do i reverse a string in python', 'python reverse string'],
    ['how do i undo the last commit in git', 'git: undo last commit'],
    ['How can I improve my eyesight?', 'How can one improve his eyesight?'],
    ['How do I organise a party?', 'How do I organize a party?'],
    ['how do I discard local changes in git', 'how do I discard all my local changes in git'],
    ['inner join vs left join', 'what is the difference between inner join and left join'],
  ] as const)
    assert.ok(served(a, b), `${a} | ${b}`)
})

test.run()
