import { passedUsage } from 'deflector/formats/passed-usage'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const counted = (usage: unknown, around: object = {}) => passedUsage(JSON.stringify({ ...around, usage }))

test('reads the names that vendors have for what went in and what came out', () => {
  assert.equal(counted({ total_tokens: 5000, input_tokens: 50, output_tokens: 4950 }), { input: 50, output: 4950 })
  assert.equal(counted({ prompt_tokens: 7, completion_tokens: 3 }), { input: 7, output: 3 })
  assert.equal(counted({ prompt_tokens: 7, total_tokens: 7 }), { input: 7, output: 0 })
  const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 2, thoughtsTokenCount: 4, totalTokenCount: 13 }
  assert.equal(passedUsage(JSON.stringify({ usageMetadata })), { input: 7, output: 6 })
})

test('what a cache served is part of the input, wherever a vendor counts it', () => {
  const parts = { cache_read_input_tokens: 9000, cache_creation_input_tokens: 500 }
  const inMessages = { input: 9510, output: 5, cacheRead: 9000, cacheWrite: 500 }
  assert.equal(counted({ input_tokens: 10, output_tokens: 5, ...parts }), inMessages)
  const served = { input: 100, output: 5, cacheRead: 90 }
  assert.equal(
    counted({ prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 90 } }),
    served,
  )
  assert.equal(counted({ input_tokens: 100, output_tokens: 5, input_tokens_details: { cached_tokens: 90 } }), served)
  const usageMetadata = { promptTokenCount: 100, totalTokenCount: 105, cachedContentTokenCount: 90 }
  assert.equal(passedUsage(JSON.stringify({ usageMetadata })), served)
})

test('a total alone is what went in, and one that is more than its parts counts', () => {
  assert.equal(counted({ total_tokens: 38 }), { input: 38, output: 0 })
  assert.equal(counted({ total_tokens: 38, input_tokens: 8 }), { input: 8, output: 30 })
  assert.equal(counted({ total_tokens: 38, output_tokens: 8 }), { input: 30, output: 8 })
  assert.equal(counted({ total_tokens: 5, input_tokens: 8, output_tokens: 2 }), { input: 8, output: 2 })
})

test('what is no count of tokens is none', () => {
  const none = [null, 'x', [], {}, { type: 'duration', seconds: 4 }, { total_tokens: -3 }, { input_tokens: '10' }]
  for (const usage of none) assert.is(counted(usage), undefined, JSON.stringify(usage))
  for (const text of ['', 'usage', '"usage"', '["usage"]', '{"usage":{"total_tokens":3', '{"usage" 3'])
    assert.is(passedUsage(text), undefined, text)
})

test('a text that speaks of usage is none, and megabytes before it are not read', () => {
  const text = 'it said {"usage":{"total_tokens":9}}'
  assert.equal(passedUsage(JSON.stringify({ text })), undefined)
  assert.equal(counted({ total_tokens: 4 }, { text }), { input: 4, output: 0 })
  assert.equal(passedUsage(Buffer.from(JSON.stringify({ usage: { total_tokens: 4 }, text }))), { input: 4, output: 0 })
  const body = JSON.stringify({ data: [{ b64_json: 'A'.repeat(8 << 20) }], usage: { total_tokens: 6 } }, undefined, 2)
  assert.equal(passedUsage(Buffer.from(body)), { input: 6, output: 0 })
})

test.run()
