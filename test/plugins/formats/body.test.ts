import { isGatewayError } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { checked } from '../../../plugins/formats/body.ts'

const refusal = (schema: z.ZodType, body: unknown): string => {
  try {
    checked(schema, body)
  } catch (error) {
    if (isGatewayError(error)) return error.message
    throw error
  }
  return ''
}

const body = z.object({
  list: z.array(z.string()).min(1).optional(),
  name: z.string().min(1).optional(),
  map: z.record(z.string(), z.unknown()).optional(),
  on: z.boolean().optional(),
  own: z.array(z.unknown(), 'must be a list of all').optional(),
  few: z.array(z.unknown()).min(2).optional(),
})

test('what is wrong with a field is said in plain words', () => {
  assert.is(refusal(body, []), 'the body: must be an object')
  assert.is(refusal(body, { list: 1 }), 'list: must be an array')
  assert.is(refusal(body, { list: [1] }), 'list[0]: must be a string')
  assert.is(refusal(body, { list: [] }), 'list: must not be empty')
  assert.is(refusal(body, { name: '' }), 'name: must not be empty')
  assert.is(refusal(body, { map: 'x' }), 'map: must be an object')
  assert.is(refusal(body, { on: 'yes' }), 'on: must be a boolean')
})

test('words of a schema of its own stand, and so do those that say more', () => {
  assert.is(refusal(body, { own: 5 }), 'own: must be a list of all')
  assert.match(refusal(body, { few: [] }), /^few: Too small: .*2/)
})

test.run()
