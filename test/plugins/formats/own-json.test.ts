import { isGatewayError } from 'deflector'
import { refusePages } from 'deflector/formats/own-json'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const JSON_TYPE = { 'content-type': 'application/json' }

function codeOf(headers: Readonly<Record<string, string>>): string {
  try {
    refusePages(headers, 'look')
    return 'passed'
  } catch (error) {
    return isGatewayError(error) ? String(Reflect.get(error, 'code')) : String(error)
  }
}

test('a program, which sends no origin, needs to send JSON only', () => {
  assert.is(codeOf(JSON_TYPE), 'passed')
  assert.is(codeOf({ 'content-type': 'Application/JSON; charset=utf-8' }), 'passed')
  for (const type of ['text/plain', 'application/jsonx', ''])
    assert.is(codeOf({ 'content-type': type }), 'unsupported_media')
  assert.is(codeOf({}), 'unsupported_media')
})

test('a page of this very host and port passes, behind TLS too, and no other does', () => {
  const from = (origin: string, host: string) => codeOf({ ...JSON_TYPE, origin, host })
  assert.is(from('http://here:8080', 'here:8080'), 'passed')
  assert.is(from('https://here', 'here'), 'passed')
  for (const origin of ['http://here:8081', 'http://there:8080', 'null', 'file://', 'here:8080', ''])
    assert.is(from(origin, 'here:8080'), 'forbidden', origin)
  assert.is(codeOf({ ...JSON_TYPE, origin: 'http://here' }), 'forbidden')
})

test.run()
