// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the places of a pipeline file look like those of a template
import * as fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { interpolate } from '../../../core/pipeline/interpolate.ts'

const never = (): void => assert.unreachable('no setting was named')

test('text without a place is left as it is', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      fc.pre(!text.includes('${'))
      assert.is(interpolate(text, {}, never), text)
    }),
  )
})

test('any text can be written with $${ for ${', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('$', '{', '}', '${', 'a', ' '), { maxLength: 12 }), parts => {
      const text = parts.join('')
      // A dollar right before the escape would be one dollar too many for either reading.
      fc.pre(!text.includes('$${'))
      assert.is(interpolate(text.split('${').join('$${'), {}, never), text)
    }),
  )
})

test('what a setting holds goes in as it is, places and all', () => {
  fc.assert(
    fc.property(fc.string(), held => {
      assert.is(interpolate('<${it}>', { it: held }, never), `<${held}>`)
      assert.is(interpolate('${it}', { it: held }, never), held)
    }),
  )
})

test('alone a setting keeps its type', () => {
  for (const held of [3, true, null, undefined, ['a'], { b: 1 }]) {
    assert.equal(interpolate('${it}', { it: held }, never), held)
  }
})

test('inside text lists and maps are written as JSON, and nothing as nothing', () => {
  assert.is(interpolate('-${it}-', { it: [1, 'a'] }, never), '-[1,"a"]-')
  assert.is(interpolate('-${it}-', { it: null }, never), '--')
})

test('every name that is no setting is told, also one of Object and one without an end', () => {
  const told: string[] = []
  interpolate('${a} ${toString} ${open', { b: 1 }, name => told.push(name))
  interpolate('${__proto__}', {}, name => told.push(name))
  assert.equal(told, ['a', 'toString', 'open', '__proto__'])
})

test.run()
