import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SettingsError } from '../../config/load.ts'
import { maskValue } from '../../config/mask.ts'
import { unmask } from '../../config/unmask.ts'

const KEYS = [
  { key: 'sk-first-0123456789-abcd', label: 'first' },
  { key: 'hunter2', label: 'second' },
  { key: 'other', label: 'third' },
]
const shown = (value: unknown) => maskValue(value, true) as typeof KEYS

test('what was shown stands for what is set, in any order and with other fields changed', () => {
  assert.equal(unmask(shown(KEYS), KEYS, true), KEYS)
  assert.equal(unmask(shown(KEYS).toReversed(), KEYS, true), KEYS.toReversed())
  // Two short secrets look alike: the label tells them apart.
  const changed = shown(KEYS).map(one => ({ ...one, priority: 1 }))
  assert.equal(unmask(changed.toReversed(), KEYS, true), KEYS.map(one => ({ ...one, priority: 1 })).toReversed())
})

test('a new secret is taken as it is, and so is a mask where no secret can be', () => {
  assert.equal(unmask([{ key: 'sk-new' }], KEYS, true), [{ key: 'sk-new' }])
  assert.equal(unmask([{ key: 'sk-new', label: 'one … two' }], KEYS, true), [{ key: 'sk-new', label: 'one … two' }])
})

test('credentials in a URL come back, of a setting that is no secret, too', () => {
  const url = 'https://user:hunter2@h.example/v1?key=QSECRET'
  assert.is(unmask(maskValue(url, false), url, false), url)
  assert.throws(
    () => unmask('https://…@other.example/v1', url, false, 'external_llm_url'),
    /external_llm_url is a masked/,
  )
})

test('a mask of nothing that is set is refused by its field, and not repeated', () => {
  assert.throws(
    () => unmask([{ key: 'sk-x…wxyz' }], KEYS, true, 'provider_keys'),
    (error: unknown) =>
      error instanceof SettingsError &&
      /^provider_keys\[0\]\.key is/.test(error.message) &&
      !/wxyz/.test(error.message),
  )
})

test.run()
