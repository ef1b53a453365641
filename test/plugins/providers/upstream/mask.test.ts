import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cleaned } from '../../../../plugins/providers/upstream/mask.ts'

for (const [what, said] of [
  ['the key we sent', 'bad key my-very-own-key given'],
  ['a key with a known prefix', 'Incorrect API key provided: sk-proj-abc123XYZ. See the docs'],
  ['a key that the vendor masked by halves', 'Incorrect API key provided: sk-ab12****************cd34.'],
  ['a google key', 'API key AIzaSyD-abc_DEF1234567890 not valid'],
  ['a bearer value', 'header was Bearer abc.def-ghi'],
  ['a key in a URL', 'GET https://x.com/v1?key=topsecretvalue failed'],
  ['a long random word', 'token 0a1b2c3d4e5f60718293a4b5c6d7e8f90 refused'],
] as const) {
  test(`masks ${what}`, () => {
    const line = cleaned(said, ['my-very-own-key'])
    assert.ok(line.includes('***'), line)
    assert.not.match(line, /my-very-own-key|abc123XYZ|cd34|SyD-abc|def-ghi|topsecret|e5f6071/)
  })
}

test('a key where a long text is cut is masked as well', () => {
  for (const spaces of [3990, 3995, 4000 - 'my-very-own-key'.length / 2]) {
    const line = cleaned(`${' '.repeat(spaces)}my-very-own-key`, ['my-very-own-key'])
    assert.ok(!line.includes('my-'), line)
  }
})

test('keeps model names and request ids readable', () => {
  const said =
    'model `Qwen3-30B-A3B-Instruct-2507` of grok-4.20-0309-non-reasoning, request 7f0f7f3e-7a8b-4c61-8d7d-1c2b3a4d5e6f'
  assert.is(cleaned(said, []), said)
})

test.run()
