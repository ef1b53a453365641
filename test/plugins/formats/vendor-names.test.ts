import { isForOne, nameFor, vendorOf } from 'deflector/formats/vendor-names'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { aliases } from '../../../plugins/providers/index.ts'

test('every name of a provider stands for the vendor whose credentials it takes', () => {
  for (const [name, { options }] of Object.entries(aliases)) {
    const [first] = Array.isArray(options.vendor_names) ? options.vendor_names : []
    assert.is(vendorOf(name), first, name)
  }
})

test('what is set for a provider goes by its own name, then its endpoint, then any name of its vendor', () => {
  for (const [instance, use, names, found] of [
    ['openai-responses', undefined, ['openai'], 'openai'],
    ['grok', undefined, ['xai'], 'xai'],
    ['xai', undefined, ['grok'], 'grok'],
    ['fast', 'togetherai', ['together'], 'together'],
    ['fast', 'grok-responses', ['xai', 'xai-responses'], 'xai-responses'],
    ['fast', 'grok-responses', ['xai', 'xai-responses', 'fast'], 'fast'],
    ['openai', undefined, ['openai-responses'], undefined],
    ['openai-compatible', undefined, ['openai'], undefined],
    ['openai-compatible', undefined, ['custom'], 'custom'],
    ['zhipu', undefined, ['zai'], undefined],
  ] as const)
    assert.is(nameFor(instance, use, names), found, `${instance} among ${names.join()}`)
})

test('a name that is neither a provider nor one of its vendors is none of theirs', () => {
  const uses = { fast: 'groq-responses', togetherai: undefined, 'slow-responses': 'mistral' }
  assert.equal(
    ['fast', 'groq', 'together', 'togetherai', 'groq-messages', 'slow', 'constructor'].map(name =>
      isForOne(name, uses),
    ),
    [true, true, true, true, false, false, false],
  )
})

test.run()
