import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listener } from 'deflector/facets/listener'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createLoader } from '../../../core/pipeline/loader.ts'
import { lintText } from '../../../surfaces/cli/pipeline/lint.ts'
import { startGateway } from '../../support/gateway.ts'

const pipeline = (surfaces: string): string => `surfaces:
${surfaces}
  native: { flow: chat }
  health:
flows: { chat: [cloud] }
layers: { cloud: { options: { chain: [demo] } } }
providers: { demo: }
`

const problemsOf = async (surfaces: string): Promise<string[]> =>
  (await lintText('/p.yaml', pipeline(surfaces), {}, createLoader())).map(
    ({ line, column, code, message }) => `${line}:${column} ${code} ${message}`,
  )

test('two listeners on free ports are two, and each serves the surfaces it names', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'deflector-serves-')), 'pipeline.yaml')
  writeFileSync(
    file,
    pipeline(`  http: { options: { port: 0, serves: [native] } }
  admin: { use: http, options: { port: 0, serves: [health] } }`),
  )
  const gateway = await startGateway({ pipeline: file })
  const { host, port } = gateway.gateway.offers(listener).get('admin')?.() ?? {}
  const health = (base: string): Promise<number> => fetch(`${base}/healthz`).then(({ status }) => status)
  assert.is(await health(`http://${host}:${port}`), 200)
  assert.is(await health(gateway.url), 404)
  assert.is((await gateway.post('/api/chat', { prompt: 'hello' })).status, 200)
  const chat = await fetch(`http://${host}:${port}/api/chat`, { method: 'POST', body: '{"prompt":"hello"}' })
  assert.is(chat.status, 404)
  await gateway.close()
})

test('a listener that names what it serves has its line for a person at the root', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'deflector-serves-')), 'pipeline.yaml')
  writeFileSync(
    file,
    pipeline(`  http: { options: { port: 0, serves: [native] } }
  admin: { use: http, options: { port: 0, serves: [health] } }`),
  )
  const gateway = await startGateway({ pipeline: file })
  const { host, port } = gateway.gateway.offers(listener).get('admin')?.() ?? {}
  const [main, admin] = await Promise.all([gateway.url, `http://${host}:${port}`].map(base => fetch(`${base}/`)))
  assert.equal([main?.status, admin?.status], [200, 200])
  assert.not.match((await main?.text()) ?? '', /health/, 'which is not served there')
  assert.match((await admin?.text()) ?? '', /^deflector .*health: \/health/)
  await gateway.close()
})

test('a listener that names a surface which is not there is refused at that name', async () => {
  const problems = await problemsOf('  http: { options: { serves: [native, healht] } }')
  assert.equal(problems, [
    '2:39 unknown_surface surface "http" asks for a surface called "healht"; declared are: http, native, health; did you mean "health"?',
  ])
})

test('a route is a duplicate only where one listener has it twice', async () => {
  const twice = '  twin: { use: native, flow: chat }\n'
  const [apart, together] = await Promise.all([
    problemsOf(
      `${twice}  http: { options: { serves: [native, health] } }\n  side: { use: http, options: { port: 8081, serves: [twin] } }`,
    ),
    problemsOf(
      `${twice}  http: { options: { serves: [native, health] } }\n  side: { use: http, options: { port: 8081, serves: [twin, native] } }`,
    ),
  ])
  assert.equal(apart, [])
  assert.equal(together, [])
  const always = await problemsOf(`${twice}  http:\n  side: { use: http, options: { port: 8081, serves: [health] } }`)
  assert.equal(
    always.map(line => line.split(';')[0]),
    ['/api/chat', '/api/v1/chat'].map(path => `5:3 duplicate_route surface "native" never gets a POST ${path}`),
  )
})

test.run()
