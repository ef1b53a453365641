import { exactJson, parseExact } from 'deflector/formats/exact-json'
import { withExactMembers } from 'deflector/formats/exact-members'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const NAMES = new Set(['args', 'schema'])

const exact = (text: string): string => exactJson(withExactMembers(JSON.parse(text), Buffer.from(text), NAMES))

test('numbers of such members keep their spelling, any other is spelled as usual', () => {
  assert.is(
    exact('{ "n" : 1.0 , "args" : { "n" : 1.0 , "s" : "2.0" } , "x":[ { "schema":[3.00 ] },4.0, [] , {} ] } '),
    '{"n":1,"args":{ "n":1.0,"s":"2.0"},"x":[{"schema":[3.00]},4,[],{}]}'.replace('{ ', '{'),
  )
  assert.is(
    exact('[{"args":1.50},{"\\u0061rgs":2.50},{"args":"3.50"}]'),
    '[{"args":1.50},{"args":2.50},{"args":"3.50"}]',
  )
  assert.is(
    exact('{"a":"}],\\"","__proto__":{"args":[5.0]},"b":"\\\\"}'),
    '{"a":"}],\\"","__proto__":{"args":[5.0]},"b":"\\\\"}',
  )
})

test('what holds no such number is the very same value', () => {
  const body = { args: { text: '1.0' }, other: 1 }
  assert.is(withExactMembers(body, Buffer.from(JSON.stringify(body)), NAMES), body)
  const tools = { kept: { a: [1] }, args: [1] }
  assert.is(withExactMembers(tools, JSON.stringify(tools), NAMES).kept, tools.kept)
})

test('of two members with one name the last counts', () => {
  assert.is(exact('{"args":1.0,"args":2.0}'), '{"args":2.0}')
  assert.is(exact('{"a":[{"args":1.0}],"a":{"args":2.0}}'), '{"a":{"args":2.0}}')
  assert.is(exact('{"a":[{"args":1.0},{"args":1.0},3],"a":[{"args":2.0}]}'), '{"a":[{"args":2.0}]}')
  assert.is(exact('{"a":[{"args":1.0}],"a":5.0,"args":6.0}'), '{"a":5,"args":6.0}')
})

const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(fc.constantFrom('args', 'schema', 'a', '"', '__proto__'), tie('value')),
  ),
})).value

/** The same done plainly: all is parsed again. */
function replaced(plain: unknown, again: unknown): unknown {
  if (Array.isArray(plain) && Array.isArray(again)) return plain.map((item, at) => replaced(item, again[at]))
  if (typeof plain !== 'object' || plain === null) return plain
  return Object.fromEntries(
    Object.entries(plain).map(([name, item]) => {
      const other = (again as Record<string, unknown>)[name]
      return [name, NAMES.has(name) ? other : replaced(item, other)]
    }),
  )
}

test('any body reads as if all of it were parsed again', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1), (given, indent) => {
      const text = JSON.stringify(given, null, indent).replaceAll(/\d+(?=[\s,\]}]|$)/g, '$&.0')
      assert.is(exact(text), exactJson(replaced(JSON.parse(text), parseExact(text))))
    }),
  )
})

test.run()
