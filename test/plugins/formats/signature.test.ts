import { isOwn, isWrapped, sentBack, shownTo, unwrap, wrap } from 'deflector/formats/signature'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

test('a signature comes back from a foreign client as it was, with the dialect that it belongs to', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('messages', 'generate-content'),
      fc.string({ unit: 'grapheme' }),
      (origin, signature) => {
        const shown = wrap(origin, signature)
        assert.ok(isWrapped(shown))
        assert.match(shown, /^[A-Za-z0-9+/]+={0,2}$/)
        assert.is(shown.length % 4, 0)
        assert.equal(unwrap(shown), { origin, signature })
      },
    ),
  )
})

test('what a vendor signed is not taken for wrapped', () => {
  for (const text of ['', 'sig', 'EqQBCkYIBxgCKkA=', 'deflector01:messages:x']) assert.is(unwrap(text), undefined)
})

test("a client of the vendor's own dialect reads the signature as it is", () => {
  assert.is(shownTo('messages', 's', 'messages'), 's')
  assert.is(shownTo('messages', 's'), 's')
  assert.is(shownTo('messages', 's', 'generate-content'), wrap('generate-content', 's'))
  assert.equal(sentBack('messages', 's'), { origin: 'messages', signature: 's' })
  assert.equal(sentBack('messages', wrap('responses', 's')), { origin: 'responses', signature: 's' })
})

test('a vendor gets its own signatures, and neither empty nor foreign nor wrapped ones', () => {
  assert.ok(isOwn('messages', 's'))
  assert.ok(isOwn('messages', 's', 'messages'))
  for (const [text, origin] of [[''], [undefined], ['s', 'responses'], [wrap('messages', 's')]])
    assert.not.ok(isOwn('messages', text, origin))
})

test.run()
