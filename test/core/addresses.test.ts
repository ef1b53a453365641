import { networkInterfaces } from 'node:os'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hostOf, isAddress, isBound, isLoopback, isPrivate, isSameHost } from '../../core/addresses.ts'

const LOOPBACK = [
  'localhost',
  'LocalHost.',
  'api.localhost',
  '127.0.0.1',
  '127.3.2.1',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
]
const PRIVATE = [
  ...['10.1.2.3', '172.31.0.1', '192.168.0.9', '169.254.1.1', '100.64.0.1', 'fd00::1', '[fe80::1]', 'fe80::1%eth0'],
  ...['ollama', 'gpu.local', 'x.internal', 'nas.lan', 'pi.home.arpa', '::ffff:10.0.0.9'],
]
const PUBLIC = [
  ...['api.openai.com', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2001:db8::1', 'local.example.com', '11.0.0.1', ''],
  ...['localhost.evil.example', '127.0.0.1.evil.example', '::ffff:8.8.8.8'],
]

for (const name of LOOPBACK) test(`${name} is loopback`, () => assert.ok(isLoopback(name) && isPrivate(name)))
for (const name of PRIVATE) test(`${name} is private`, () => assert.ok(isPrivate(name) && !isLoopback(name)))
for (const name of PUBLIC) test(`"${name}" is public`, () => assert.not(isPrivate(name) || isLoopback(name)))

test('a Host header gives its bare host, addresses in one form', () => {
  for (const [given, host] of [
    ['a.example:80', 'a.example'],
    ['A.example.', 'a.example'],
    ['[::1]:8080', '::1'],
    ['[fd00:0::1]', 'fd00::1'],
    ['127.1', '127.0.0.1'],
    ...['', 'a@b', 'a#b', 'a/b', 'a\\b', 'a:x', 'a:80:80'].map(bad => [bad, undefined]),
  ])
    assert.is(hostOf(given ?? ''), host, given)
  assert.ok(isAddress('[::1]') && isAddress('10.0.0.1') && !isAddress('localhost'))
})

test('who listens on every address is bound to each of the machine, and to no other', () => {
  assert.ok(isBound('10.1.2.3', '10.1.2.3') && isBound('[fd00::1]', 'fd00:0::1'))
  assert.not(isBound('10.1.2.4', '10.1.2.3') || isBound('203.0.113.9', '0.0.0.0') || isBound('evil.example', '0.0.0.0'))
  for (const { address } of Object.values(networkInterfaces()).flatMap(at => at ?? []))
    assert.ok(isBound(address, '0.0.0.0'), address)
})

test('a page of this very host and port is told by both, whatever the scheme', () => {
  assert.ok(isSameHost('http://here:8080', 'here:8080') && isSameHost('https://here', 'here'))
  for (const origin of ['http://here:8081', 'http://there:8080', 'null', 'file://', 'here:8080', ''])
    assert.not(isSameHost(origin, 'here:8080'), origin)
  assert.not(isSameHost('http://here', ''))
})

test.run()
