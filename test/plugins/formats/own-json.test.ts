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
  const from = (origin: string, host: string) => codeOf({ ...JSON_TYPE, 'x-api-key': 'k', origin, host })
  assert.is(from('http://here:8080', 'here:8080'), 'passed')
  assert.is(from('https://here', 'here'), 'passed')
  for (const origin of ['http://here:8081', 'http://there:8080', 'null', 'file://', 'here:8080', ''])
    assert.is(from(origin, 'here:8080'), 'forbidden', origin)
  assert.is(codeOf({ ...JSON_TYPE, 'x-api-key': 'k', origin: 'http://here' }), 'forbidden')
})

test('without a key a name may have been pointed here: only an address and a loopback name pass', () => {
  const from = (host: string) => codeOf({ ...JSON_TYPE, origin: `http://${host}`, host })
  for (const host of ['localhost:8080', 'a.localhost', '127.0.0.1:8080', '[::1]:8080', '192.168.1.5:8080'])
    assert.is(from(host), 'passed', host)
  for (const host of ['evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example'])
    assert.is(from(host), 'forbidden', host)
})

test.run()
