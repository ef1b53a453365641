import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import redis from '../../../../plugins/stores/redis.ts'
import { type TestHost, testHost } from '../../../contracts/host.ts'
import { needs } from '../../../support/needs.ts'
import { tempFolder } from '../../../support/opened.ts'
import { freePort, RealTries, type RedisServer, startRedis } from '../../../support/redis.ts'
import { until } from '../../../support/until.ts'

const LIFE = { ttlSecs: 60, staleSecs: 0 }
const folder = tempFolder('tls')
const taken: (() => Promise<void>)[] = []
test.after(async () => {
  for (const giveBack of taken.toReversed()) await giveBack()
})

interface Certificate {
  readonly key: string
  readonly pem: string
}

/** A certificate that signs itself, for `name` (`IP:127.0.0.1`). */
function certificateFor(name: string, file: string): Certificate {
  const [key, pem] = [join(folder, `${file}.key`), join(folder, `${file}.pem`)]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const made = ['-keyout', key, '-out', pem, '-days', '2', '-subj', '/CN=deflector-test']
  const { status, stderr } = spawnSync('openssl', [
    'req',
    '-x509',
    ...curve,
    ...made,
    '-addext',
    `subjectAltName=${name}`,
  ])
  if (status !== 0) throw new Error(`openssl: ${stderr}`)
  return { key, pem }
}

interface TlsServer extends RedisServer {
  readonly tlsUrl: string
}

async function startTls({ key, pem }: Certificate): Promise<TlsServer> {
  const port = await freePort()
  const files = ['--tls-cert-file', pem, '--tls-key-file', key, '--tls-ca-cert-file', pem]
  const server = await startRedis(['--tls-port', String(port), '--tls-auth-clients', 'no', ...files])
  taken.push(() => server.close())
  return { ...server, tlsUrl: `rediss://127.0.0.1:${port}` }
}

async function open(options: object): Promise<{ host: TestHost<'store'>; store: Store }> {
  const host = testHost('store', { name: 'answers', clock: new RealTries() })
  taken.push(() => host.dispose())
  const store = host.apply(redis, options)
  await host.start()
  host.ready()
  return { host, store }
}

needs('openssl')
const here = certificateFor('IP:127.0.0.1', 'here')
const server = await startTls(here)
const warned = ({ logged }: TestHost<'store'>): string =>
  JSON.stringify(logged.filter(({ level }) => level === 'warn').map(({ fields }) => fields))

test('speaks TLS to a server whose certificate ca_file vouches for, and heals there, too', async () => {
  const { store } = await open({ url: server.tlsUrl, ca_file: here.pem })
  await store.set('a', Buffer.from('one'), LIFE)
  assert.is(Buffer.from((await store.get('a'))?.value ?? []).toString(), 'one')
  await server.kill()
  await until('it is gone', () =>
    store.get('a').then(
      () => false,
      () => true,
    ),
  )
  await server.restart()
  await until('it is back', async () => {
    await store.set('a', Buffer.from('two'), LIFE)
    return (await store.get('a')) !== undefined
  })
})

test('follows over TLS', async () => {
  const { store } = await open({ url: server.tlsUrl, ca_file: here.pem })
  const held = new Map<string, string>()
  const stopping = new AbortController()
  taken.push(async () => stopping.abort())
  await store.set('p:before', Buffer.from('1'), LIFE)
  store.follow?.('p:', (key, value) => held.set(key, String(value && Buffer.from(value))), stopping.signal)
  await until('the scan is told', () => held.get('p:before') === '1')
  await store.set('p:after', Buffer.from('2'), LIFE)
  await until('and what is written later', () => held.get('p:after') === '2')
})

test('sends nothing to a server that nobody vouches for, or whose certificate is for another name', async () => {
  const elsewhere = certificateFor('DNS:redis.elsewhere.test', 'elsewhere')
  const other = await startTls(elsewhere)
  const untrusted = [
    { url: server.tlsUrl },
    { url: server.tlsUrl, ca_file: elsewhere.pem },
    { url: other.tlsUrl, ca_file: elsewhere.pem },
  ]
  for (const options of untrusted) {
    const { host, store } = await open(options)
    assert.match(warned(host), /certificate|altnames/i, JSON.stringify(options))
    try {
      await store.set('secret', Buffer.from('one'), LIFE)
      assert.unreachable()
    } catch (error) {
      assert.match(String(error), /out of reach/)
    }
  }
  for (const each of [server, other]) assert.is(await each.command('EXISTS', 'deflector:answers:secret'), 0)
})

test('a ca_file that is none ends the start, and names itself', async () => {
  const text = join(folder, 'text')
  writeFileSync(text, 'not a certificate')
  for (const ca_file of [text, join(folder, 'nowhere')]) {
    try {
      await open({ url: server.tlsUrl, ca_file })
    } catch (error) {
      assert.match(String(error), ca_file)
      continue
    }
    assert.unreachable(ca_file)
  }
  assert.throws(() => testHost('store').apply(redis, { url: 'redis://h', ca_file: 'x' }), /rediss/)
})

test.run()
