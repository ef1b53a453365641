import type { AnswerBlock } from 'deflector'
import { generateContent } from 'deflector/formats/generate-content'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deedIn, hiddenDeed } from '../../../../plugins/formats/generate-content/own-deeds.ts'

const part = { toolResponse: { id: 't1', response: { found: 1 } }, thoughtSignature: 'c2ln' }

test('a part of the vendor comes back as it was', () => {
  assert.equal(deedIn(hiddenDeed(part)), part)
})

test('what a client made up, and what is another vendor’s, is no such part', () => {
  const origin = 'generate-content'
  for (const redacted of ['part:', 'part:{', 'part:[]', 'part:{"text":"x"}', '{"toolCall":{}}'])
    assert.is(deedIn({ redacted, origin }), undefined, redacted)
  assert.is(deedIn({ ...hiddenDeed(part), origin: 'messages' }), undefined)
  assert.is(deedIn({ signature: 'part:{}', origin }), undefined)
})

test('a client of the format gets the part itself', () => {
  const hidden: AnswerBlock = { type: 'reasoning', text: '', ...hiddenDeed(part) }
  const completion = { id: 'r', model: 'm', created: 0, blocks: [hidden], stop: { reason: 'stop' as const } }
  const answer = generateContent.encodeAnswer(completion, { id: 'r', created: 0, layer: 'l3' })
  assert.match(JSON.stringify(answer), JSON.stringify(part).slice(1, -1))
})

test.run()
