import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseRedisUrl } from '../../../../plugins/stores/redis/address.ts'

const node = (host: string, port = 6379) => ({ host, port })

test('reads one server: port, database and credentials', () => {
  assert.equal(parseRedisUrl('redis://cache'), { kind: 'single', nodes: [node('cache')], tls: false })
  assert.equal(parseRedisUrl('REDISS://user:p%40ss@cache:7000/5'), {
    kind: 'single',
    nodes: [node('cache', 7000)],
    tls: true,
    username: 'user',
    password: 'p@ss',
    db: 5,
  })
  assert.equal(parseRedisUrl('redis://:se:cr@et/@[::1]:6380/'), {
    kind: 'single',
    nodes: [node('::1', 6380)],
    tls: false,
    password: 'se:cr@et/',
  })
})

test('reads a cluster, named as one or as a list of nodes', () => {
  const nodes = [node('a', 1), node('b'), node('c', 3)]
  for (const url of ['redis+cluster://a:1,b,c:3', 'redis://a:1,b,c:3/0', 'redis://a:1, redis://b,redis://u:p@c:3']) {
    const { db: _, ...target } = parseRedisUrl(url)
    assert.equal(target, { kind: 'cluster', nodes, tls: false }, url)
  }
  assert.equal(parseRedisUrl('rediss+cluster://:x@a'), {
    kind: 'cluster',
    nodes: [node('a')],
    tls: true,
    password: 'x',
  })
})

test('reads sentinels, their master, its database and their own login', () => {
  assert.equal(parseRedisUrl('redis+sentinel://:x@a,b:5/main/2?sentinel_password=y%20z'), {
    kind: 'sentinel',
    nodes: [node('a', 26_379), node('b', 5)],
    tls: false,
    password: 'x',
    master: 'main',
    db: 2,
    sentinelPassword: 'y z',
  })
})

test('refuses what it cannot read, and repeats nothing of it', () => {
  const wrong = [
    'http://hunter2@cache',
    'redis://',
    'redis:///1',
    'redis://hunter2@cache',
    'redis://:hunter2%@cache',
    'redis://:hunter2@cache:port',
    'redis://:hunter2@cache:70000',
    'redis://:hunter2@cache:0',
    'redis://:hunter2@cache/one',
    'redis://:hunter2@cache/1/2',
    'redis://:hunter2@cache?tls=hunter2',
    'redis://:hunter2@a,b/1',
    'redis+cluster://:hunter2@a/1',
    'redis+sentinel://:hunter2@a',
    'redis+sentinel://:hunter2@a/main/x',
    'redis+sentinel://:hunter2@a/main?password=hunter2',
    'redis+magic://:hunter2@a',
  ]
  for (const url of wrong) {
    try {
      parseRedisUrl(url)
    } catch (error) {
      assert.ok(error instanceof Error && error.message.length > 10, url)
      assert.not.match(error.message, /hunter2/, url)
      continue
    }
    assert.unreachable(url)
  }
})

test.run()
