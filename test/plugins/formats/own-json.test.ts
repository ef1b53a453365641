import { isGatewayError } from 'deflector'
import { jsonOnly } from 'deflector/formats/own-json'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

test('what is not sent as JSON is refused', () => {
  jsonOnly({ 'content-type': 'application/json' })
  jsonOnly({ 'content-type': 'Application/JSON; charset=utf-8' })
  for (const type of ['text/plain', 'application/jsonx', '', undefined])
    assert.throws(
      () => jsonOnly({ 'content-type': type }),
      (error: unknown) => isGatewayError(error) && error.code === 'unsupported_media',
    )
})

test.run()
