import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { logitOf } from '../../../../plugins/models/pair/runtime.ts'

test('takes the logit from what the model gives, and refuses a model that gives none', () => {
  assert.is(logitOf({ logit: { data: [-2.5] } }), -2.5)
  for (const outputs of [{}, { logits: { data: [1] } }, { logit: { data: [] } }, { logit: { data: [Number.NaN] } }])
    assert.throws(() => logitOf(outputs), /no finite "logit"/)
  assert.throws(() => logitOf({ logit: { data: [Number.POSITIVE_INFINITY] } }), /Infinity/)
})

test.run()
