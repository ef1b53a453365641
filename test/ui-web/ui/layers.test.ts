import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endLook, layerName } from '../../../ui-web/src/ui/layers.ts'

test('what ended before any layer was refused, unless its status says otherwise', () => {
  const names = [200, 399, 400, 401, 0].map(status => endLook('l0', status).name)
  assert.equal(names, ['Answered here', 'Answered here', 'Refused', 'Refused', 'Refused'])
  assert.is.not(endLook('l0', 200).colour, endLook('l0', 400).colour)
})

test('a layer keeps its name, whatever came of the request there', () => {
  for (const status of [200, 502]) assert.is(endLook('L3_Cloud', status).name, layerName('l3'))
})

test.run()
