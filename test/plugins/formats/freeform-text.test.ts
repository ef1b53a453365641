import { freeformArgs } from 'deflector/formats/freeform'
import { FreeformText } from 'deflector/formats/freeform-text'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const read = (pieces: readonly string[]): string => {
  const text = new FreeformText()
  return pieces.map(piece => text.push(piece)).join('') + text.end()
}

/** Cut at these places. */
const cut = (text: string, places: readonly number[]): string[] => {
  const at = [...new Set(places.map(place => place % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length))
}

test('reads the same text however its arguments are cut', () => {
  const anyText = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(anyText, fc.boolean(), fc.array(fc.nat()), (input, spaced, places) => {
      const args = spaced ? ` ${JSON.stringify({ input }, null, 2)}\n` : freeformArgs(input)
      assert.is(read(cut(args, places)), input)
    }),
  )
})

test('escapes of every kind are read, also in halves', () => {
  const args = '{"input":"a\\n\\"\\\\\\/\\u00e9\\ud83d\\ude00 b"}'
  assert.is(read([...args]), 'a\n"\\/é😀 b')
  assert.is(read([args]), 'a\n"\\/é😀 b')
})

test('half of a pair waits for its other half', () => {
  const text = new FreeformText()
  assert.is(text.push('{"input":"a\\ud83d'), 'a')
  assert.is(text.push('\\ude00'), '😀')
})

test('tells the text while it comes in', () => {
  const text = new FreeformText()
  assert.is(text.push('{"in'), '')
  assert.is(text.push('put": "one'), 'one')
  assert.is(text.push(' two"}'), ' two')
  assert.is(text.end(), '')
})

test('arguments of another shape are the text, whole', () => {
  for (const args of ['{"text":"x"}', 'no json', '["input"]', `{"other":"${'x'.repeat(500)}"}`]) {
    assert.is(read([args.slice(0, 3), args.slice(3)]), args)
  }
  assert.is(read(['{"note":"n","input":"x"}']), 'x')
  assert.is(read(['']), '')
})

test.run()
