import * as fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { checkOf } from '../../../../plugins/layers/slm/schema.ts'

const fits = (schema: unknown, value: unknown): boolean | undefined => checkOf(schema)?.(value)

const TITLE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { title: { type: 'string', description: 'A few words.', minLength: 1, maxLength: 5 } },
  required: ['title'],
  additionalProperties: false,
}

test('an object has its required members, of their types, and no others where none may be', () => {
  assert.is(fits(TITLE, { title: 'Seven' }), true)
  for (const value of [
    {},
    { title: 7 },
    { title: '' },
    { title: 'Eleven' },
    { title: 'a', more: 1 },
    [],
    'title',
    null,
  ])
    assert.is(fits(TITLE, value), false, JSON.stringify(value))
  assert.is(fits({ ...TITLE, additionalProperties: { type: 'number' } }, { title: 'a', more: 1 }), true)
  assert.is(fits({ ...TITLE, additionalProperties: { type: 'number' } }, { title: 'a', more: 'b' }), false)
})

test('lists, choices, bounds and constants are checked', () => {
  const list = { type: 'array', items: { enum: ['a', { b: [1] }] }, minItems: 1, maxItems: 2 }
  assert.is(fits(list, ['a', { b: [1] }]), true)
  for (const value of [[], ['a', 'a', 'a'], ['c'], [{ b: [2] }]]) assert.is(fits(list, value), false)
  const some = { anyOf: [{ type: ['integer', 'null'], minimum: 2, maximum: 3 }, { const: 'x' }] }
  for (const value of [2, 3, null, 'x']) assert.is(fits(some, value), true)
  for (const value of [1, 4, 2.5, 'y', true]) assert.is(fits(some, value), false)
  assert.is(fits({ maxLength: 1 }, '🙂'), true)
  assert.is(fits(true, 7), true)
  assert.is(fits(false, 7), false)
})

test('a schema with anything else is not checked at all, however deep that stands', () => {
  const others: readonly object[] = [
    { pattern: '(a+)+$' },
    { $ref: '#' },
    { type: 'STRING' },
    { type: 'constructor' },
    { constructor: {} },
    { format: 'date' },
    { not: {} },
    { required: 'title' },
    { minItems: '1' },
  ]
  for (const other of others) {
    assert.is(checkOf(other), undefined, JSON.stringify(other))
    assert.is(checkOf({ type: 'object', properties: { a: { items: { anyOf: [other] } } } }), undefined)
    assert.is(checkOf({ additionalProperties: other }), undefined)
  }
  let deep: object = {}
  for (let i = 0; i < 10_000; i++) deep = { items: deep }
  assert.is(checkOf(deep), undefined)
})

test('it finds what zod finds', () => {
  const leaf = fc.constantFrom(
    { type: 'string' },
    { type: 'number' },
    { type: 'integer' },
    { type: 'boolean' },
    { type: 'null' },
    { enum: ['a', 'b'] },
    { const: 'a' },
    { type: 'string', minLength: 1, maxLength: 2 },
    { type: 'number', minimum: 0, maximum: 1 },
  )
  const object = (inner: fc.Arbitrary<object>): fc.Arbitrary<object> =>
    fc
      .record({ a: inner, b: inner, required: fc.subarray(['a', 'b']), closed: fc.boolean() })
      .map(({ a, b, required, closed }) => ({
        type: 'object',
        properties: { a, b },
        required,
        ...(closed && { additionalProperties: false }),
      }))
  const list = (inner: fc.Arbitrary<object>): fc.Arbitrary<object> =>
    fc.record({ type: fc.constant('array'), items: inner, maxItems: fc.integer({ min: 0, max: 2 }) })
  const either = (inner: fc.Arbitrary<object>): fc.Arbitrary<object> =>
    fc.array(inner, { minLength: 1, maxLength: 2 }).map(anyOf => ({ anyOf }))
  const inner = fc.oneof(leaf, object(leaf), list(leaf), either(leaf))
  const schema = fc.oneof(inner, object(inner), list(inner), either(inner))
  const scalar = fc.constantFrom<unknown>('', 'a', 'b', 'abc', 0, 1, 0.5, -1, true, null)
  const shallow = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), scalar),
  )
  const value = fc.oneof(
    shallow,
    fc.array(shallow, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), shallow, { noNullPrototype: true }),
  )
  fc.assert(
    fc.property(schema, value, (asked, given) => {
      const plain: unknown = JSON.parse(JSON.stringify(given))
      assert.is(fits(asked, plain), z.fromJSONSchema(asked as z.core.JSONSchema.JSONSchema).safeParse(plain).success)
    }),
    { numRuns: 1000 },
  )
})

test.run()
