import { ExactNumber, exactJson, parseExact } from 'deflector/formats/exact-json'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

test('every number keeps its spelling, whatever stands around it', () => {
  for (const text of [
    '1.0',
    '-0',
    '[1e5,1E+05,-0.0,0.10,12345678901234567890,1e400,0.1]',
    '{"a":1.50,"one":{"b":[2.0]},"say \\"n\\": 1.0":"5.0"}',
    '"1.0"',
    '["\\\\",1.0,"\\"",2.0]',
    '{"__proto__":{"n":3.0}}',
  ])
    assert.is(exactJson(parseExact(text)), text)
})

test('a number that is spelled as usual is a number, and any other reads as one', () => {
  assert.equal(parseExact('[1,-2.5,1e+21,100]'), [1, -2.5, 1e21, 100])
  const odd = parseExact('1.50')
  assert.instance(odd, ExactNumber)
  assert.is(JSON.stringify({ odd }), '{"odd":1.5}')
})

test('what is not JSON is refused, also where a number is the fault', () => {
  for (const text of ['', '{', '01', '1.', '1.2.3', '+1', '[1.0,]', '{"a":-}', '1.0x'])
    assert.throws(() => parseExact(text))
})

test('long texts full of quotes are no trouble', () => {
  const text = JSON.stringify({ a: '"\\'.repeat(1 << 20), b: 1 }).replace('1}', '1.0}')
  assert.is(exactJson(parseExact(text)), text)
})

const number = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 25n }),
    fc.option(fc.stringMatching(/^\d{1,20}$/)),
    fc.integer(),
  )
  .map(([minus, whole, fraction, power]) => {
    const head = `${minus ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}`
    return power % 3 === 0 ? `${head}${power % 2 === 0 ? 'e' : 'E+'}${Math.abs(power) % 400}` : head
  })

const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    number,
    fc.string({ unit: 'binary' }).map(text => JSON.stringify(text)),
    number.map(text => JSON.stringify(text)),
    fc.array(tie('value')).map(items => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z"\\]+$/), tie('value')), { selector: ([name]) => name })
      .map(members => `{${members.map(([name, item]) => `${JSON.stringify(name)}:${item}`).join(',')}}`),
  ),
})).value

test('any JSON comes back as it was', () => {
  fc.assert(fc.property(value, text => exactJson(parseExact(text)) === text))
})

test.run()
