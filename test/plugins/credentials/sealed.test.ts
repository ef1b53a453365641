import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { KEY_BYTES, seal, unseal } from '../../../plugins/credentials/sealed.ts'

const key = randomBytes(KEY_BYTES)
const plain = Buffer.from('sk-a-secret')

test('what was sealed comes back, and shows nothing of itself', () => {
  const sealed = seal(plain, key, 'groq')
  assert.is(sealed.includes('sk-a'), false)
  assert.equal(unseal(sealed, key, 'groq'), plain)
})

test('the same text is sealed under another nonce each time', () => {
  assert.is.not(seal(plain, key, 'groq').toString('hex'), seal(plain, key, 'groq').toString('hex'))
})

test('every changed byte, another key and another name are refused', () => {
  const sealed = seal(plain, key, 'groq')
  for (const [at, byte] of sealed.entries()) {
    const changed = Buffer.from(sealed)
    changed[at] = byte ^ 1
    assert.is(unseal(changed, key, 'groq'), undefined, `byte ${at}`)
  }
  assert.is(unseal(sealed, randomBytes(KEY_BYTES), 'groq'), undefined)
  assert.is(unseal(sealed, key, 'openai'), undefined)
  for (let length = 0; length < sealed.length; length++)
    assert.is(unseal(sealed.subarray(0, length), key, 'groq'), undefined, `${length} bytes`)
})

test.run()
