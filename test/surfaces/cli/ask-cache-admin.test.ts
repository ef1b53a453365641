import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inShell } from './command.ts'
import { FREE, up } from './gateway.ts'

const OPS = { key: 'key-of-ops', label: 'ops', admin: true }
const ANN = { key: 'key-of-ann', label: 'ann' }

test(
  'the command takes the key of the settings that may administer, and says what to do where a key may not',
  inShell(async shell => {
    const keys = { SERVICE__GATEWAY_API_KEYS: JSON.stringify([ANN, OPS]) }
    const { url } = await up(shell, ['--demo', ...FREE], keys)
    assert.is((await shell.run(['cache', 'stats'], keys)).code, 0)

    const plain = await shell.run(['cache', 'clear', '--gateway-url', url, '--gateway-api-key', ANN.key], keys)
    assert.is(plain.code, 1)
    assert.match(plain.stderr, '"admin = true" for the key labelled "ann"')
    assert.match(plain.stderr, '--gateway-api-key passes another key')
    assert.not.match(plain.stderr, 'key-of')

    const wrong = await shell.run(['cache', 'stats', '--gateway-api-key', 'nope'], keys)
    assert.is(wrong.code, 1)
    assert.match(wrong.stderr, 'does not know the key that was sent; pass its gateway_api_key, or a key with')
    assert.not.match(wrong.stderr, 'nope')

    const none = await shell.run(['cache', 'stats'], { SERVICE__GATEWAY_API_KEYS: JSON.stringify([ANN]) })
    assert.is(none.code, 1)
    assert.match(none.stderr, 'needs gateway_api_key, or a key with "admin = true"; pass it with --gateway-api-key')
  }),
)

test.run()
