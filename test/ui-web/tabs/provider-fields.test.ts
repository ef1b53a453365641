import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { changesOf, fieldsOf, filledFrom } from '../../../ui-web/src/tabs/providers/provider-fields.ts'

const SCHEMAS = {
  weight: { type: 'number' },
  provider: { type: 'string' },
  api_key: { type: 'string' },
  provider_keys: { type: 'array' },
  larger_context: { type: 'boolean' },
  key_rotation_strategy: { type: 'string', enum: ['round_robin', 'priority'] },
  first_event_secs: { type: 'number' },
}
const { common, rare } = fieldsOf(SCHEMAS)
const all = [...common, ...rare]

test('fields come from the schema: the common ones first, lists left out', () => {
  assert.equal(
    common.map(({ name, kind }) => [name, kind]),
    [
      ['provider', 'text'],
      ['api_key', 'secret'],
    ],
  )
  assert.equal(
    rare.map(({ label, kind }) => [label, kind]),
    [
      ['Weight', 'number'],
      ['Larger context', 'flag'],
      ['Key rotation strategy', 'choice'],
      ['First event (seconds)', 'number'],
    ],
  )
})

test('only what differs is sent: numbers as numbers, and null for what is taken out', () => {
  const before = filledFrom({ provider: 'groq', api_key: 'sk-1…9999', weight: 2, larger_context: true, url: null })
  const after = { ...before, weight: '', larger_context: '', first_event_secs: '3.5', provider: ' groq ' }
  assert.equal(changesOf(all, before, after), { weight: null, larger_context: null, first_event_secs: 3.5 })
  assert.equal(changesOf(all, before, before), {})
})

test.run()
