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

const [GROQ, MISTRAL] = [
  { provider: 'groq', model: 'a', api_key: 'hunter2' },
  { provider: 'mistral', model: 'b', api_key: 'other' },
]
const LIST = [GROQ, MISTRAL]
const [groq, mistral] = maskValue(LIST, true) as [typeof GROQ, typeof MISTRAL]
const back = (sent: readonly unknown[], set: readonly unknown[] = LIST): unknown => unmask(sent, set, true, 'list')

test('masks that look alike stay with their records when one of these changes', () => {
  assert.equal(back([{ ...groq, provider: 'mistral' }, mistral]), [{ ...GROQ, provider: 'mistral' }, MISTRAL])
  assert.equal(back([mistral, mistral]), [{ ...MISTRAL, api_key: 'hunter2' }, MISTRAL])
  assert.equal(back([groq, { ...mistral, provider: 'groq' }]), [GROQ, { ...MISTRAL, provider: 'groq' }])
  assert.equal(
    back([
      { ...groq, provider: 'x' },
      { ...mistral, provider: 'y' },
    ]),
    [
      { ...GROQ, provider: 'x' },
      { ...MISTRAL, provider: 'y' },
    ],
  )
  const twins = [{ api_key: 'sk-1234567890-aaaa-11' }, { api_key: 'sk-1234567890-bbbb-11' }]
  const [shownTwin] = maskValue(twins, true) as typeof twins
  assert.equal(back([{ ...shownTwin, provider: 'x' }, shownTwin], twins), [{ ...twins[0], provider: 'x' }, twins[1]])
})

test('records that are added or taken out leave the others theirs', () => {
  const fresh = { provider: 'openai', api_key: 'new' }
  assert.equal(back([fresh, groq, mistral]), [fresh, ...LIST])
  assert.equal(back([mistral]), [MISTRAL])
  assert.equal(back([{ ...mistral, model: 'c' }]), [{ ...MISTRAL, model: 'c' }])
  assert.equal(back([groq, { ...groq, model: 'c' }], [GROQ]), [GROQ, { ...GROQ, model: 'c' }])
  assert.equal(back([{ ...groq, api_key: 'new' }, mistral]), [{ ...GROQ, api_key: 'new' }, MISTRAL])
})

test('a mask that may stand for several is refused', () => {
  const refused = (sent: readonly unknown[], place: number, set: readonly unknown[] = LIST) =>
    assert.throws(
      () => back(sent, set),
      (error: unknown) =>
        error instanceof SettingsError && error.message.startsWith(`list[${place}] has a masked value that may stand`),
    )
  refused([{ ...groq, provider: 'x' }], 0)
  refused([mistral, { ...mistral, provider: 'x' }], 1)
  refused([groq, mistral, { ...groq, provider: 'x' }], 2)
  refused([{ key: '…' }], 0, [{ key: 'hunter2' }, { key: 'other' }])
  const inner = [{ provider_keys: [{ key: 'hunter2' }, { key: 'other' }] }]
  assert.throws(() => back([{ provider_keys: [{ key: '…' }] }], inner), /^list\[0\].provider_keys\[0\] has a masked/)
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
