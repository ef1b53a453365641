import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createLoader } from '../../../../../core/pipeline/loader.ts'
import { isolatedSettings } from '../../../../../surfaces/cli/pipeline/settings.ts'
import { reportLines } from '../../../../../surfaces/cli/pipeline/test/report.ts'
import { type FileResult, runText } from '../../../../../surfaces/cli/pipeline/test/run.ts'
import { tempFolder } from '../../../../support/opened.ts'

const loader = createLoader()
const isolated = isolatedSettings()
test.after(() => isolated.close())

const PIPELINE = `surfaces:
  http: { options: { port: 8080 } }
  chat-completions: { flow: chat }
flows:
  chat: [exact-cache, cloud]
layers:
  exact-cache: { options: { store: memory, ttl_secs: 60 } }
  cloud: { options: { chain: [main] } }
providers:
  main: { use: chat-completions, options: { url: 'https://main.example/v1', api_key: k } }
stores:
  memory:
tests:
`
const ASK = '{ path: /v1/chat/completions, body: { model: m, messages: [{ role: user, content: hi }] } }'

const run = (tests: string): Promise<FileResult> =>
  runText('/p.yaml', PIPELINE + tests, { loader, settings: isolated.settings })

async function differences(expect: string, more = ''): Promise<readonly string[]> {
  const { problems, results } = await run(`  - name: one\n    request: ${ASK}\n    expect: ${expect}\n${more}`)
  assert.equal(problems, [])
  return results.flatMap(result => result.differences)
}

test('a test that holds passes', async () => {
  assert.equal(
    await differences('{ status: 200, layer: l3, deflected: false, provider: main, calls: { main: 1 } }'),
    [],
  )
})

test('a request reaches the surface that it means, whichever of several listeners serves it', async () => {
  const listeners = `surfaces:
  admin: { use: http, options: { port: 8081, serves: [health] } }
  http: { options: { port: 8080, serves: [chat-completions] } }
  health:
`
  const tests = `  - name: chat\n    request: ${ASK}\n    expect: { status: 200 }
  - name: health\n    request: { method: GET, path: /healthz }\n    expect: { status: 200 }
`
  const text = PIPELINE.replace(/^surfaces:\n.*\n/, listeners) + tests
  const { problems, results } = await runText('/p.yaml', text, { loader, settings: isolated.settings })
  assert.equal(problems, [])
  assert.equal(
    results.map(({ differences }) => differences),
    [[], []],
  )
})

test('a model from outside is replaced by one that does the same: what writes by the stub', async () => {
  const folder = tempFolder('models')
  const outside = (name: string, gives: string): string => {
    const file = join(folder, `${name}.mjs`)
    const started = "onStart(() => { throw new Error('started') })"
    writeFileSync(
      file,
      `import { defineModel } from 'deflector'
import { z } from 'zod'
export default defineModel({
  name: '${name}', options: z.strictObject({}), apply({ onStart }) { ${started}; return ${gives} },
})
`,
    )
    return file
  }
  const text = `surfaces:
  http: { options: { port: 8080 } }
  chat-completions: { flow: chat }
flows:
  chat: [semantic-cache, slm, cloud]
layers:
  semantic-cache: { options: { model: near, judge: alike, store: memory } }
  slm: { options: { enabled: true, writer: small, classifier: model, embedder: near } }
  cloud: { options: { chain: [main] } }
providers:
  main: { use: chat-completions, options: { url: 'https://main.example/v1', api_key: k } }
models:
  small: { use: ${outside('writes', "{ model: 'm', write: async () => ({ text: 'outside', finish: 'stop' }) }")} }
  near: { use: ${outside('embeds', '{ dimensions: 3, embed: async () => [] }')} }
  alike: { use: ${outside('judges', '{ read: () => ({}), bar: () => 1, agree: () => false, portable: {} }')} }
  unasked: { use: ${outside('breaks', "(() => { throw new Error('wired') })()")} }
stores:
  memory:
tests:
  - name: the small model classifies and writes
    request: ${ASK.replace('content: hi', 'content: Write is_even in Python')}
    upstream: { small: [{ text: SNIPPET }, { text: 'def is_even(n): return n % 2 == 0' }] }
    expect: { status: 200, layer: l2, text: 'def is_even(n): return n % 2 == 0' }
`
  const { problems, results } = await runText(join(folder, 'p.yaml'), text, { loader, settings: isolated.settings })
  assert.equal([problems, results.map(({ differences }) => differences)], [[], [[]]])
})

test('each expectation can fail', async () => {
  assert.equal(await differences('{ status: 201 }'), ['status: expected 201, got 200'])
  assert.equal(await differences('{ layer: l1a }'), ['x-service-layer: expected "l1a", got "l3"'])
  assert.equal(await differences('{ deflected: true }'), ['x-service-deflected: expected "true", got "false"'])
  assert.equal(await differences('{ provider: null }'), ['x-service-provider: expected none, got "main"'])
  assert.equal(await differences('{ text: something else }'), [
    'text: expected "something else", got "an answer of main"',
  ])
  assert.equal(await differences('{ headers: { content-type: /html/ } }'), [
    'content-type: expected /html/, got "application/json; charset=utf-8"',
  ])
  assert.equal(await differences('{ body: { object: thing } }'), [
    'body.object: expected "thing", got "chat.completion"',
  ])
  assert.equal(await differences('{ calls: 0 }'), ['calls: expected 0, got 1'])
  assert.equal(await differences('{ calls: { main: 2 } }'), ['calls of main: expected 2, got 1'])
  assert.equal(await differences('{ sent: { body: { model: other } } }'), [
    'sent.body.model: expected "other", got "m"',
  ])
})

test('the step that differs is named, and those after it are not run', async () => {
  const { results } = await run(`  - name: two steps
    steps:
      - { request: ${ASK}, expect: { layer: l3 } }
      - { request: ${ASK}, expect: { layer: l3 } }
      - { request: ${ASK}, expect: { status: 1 } }
`)
  assert.equal(results[0]?.differences, ['step 2: x-service-layer: expected "l3", got "l1a"'])
})

test('every test begins with empty caches', async () => {
  const one = (name: string) => `  - { name: ${name}, request: ${ASK}, expect: { layer: l3 } }\n`
  const { results } = await run(one('first') + one('second'))
  assert.equal(
    results.map(result => result.differences),
    [[], []],
  )
})

test('a failure comes with what the gateway logged', async () => {
  const found = await differences('{ status: 200 }', '    upstream: { main: { status: 401 } }\n')
  assert.is(found[0], 'status: expected 200, got 502')
  assert.ok(
    found.some(line => line.startsWith('log: ')),
    'the log tells of the refused credential',
  )
})

test('a mistake in a test is told with its place and a suggestion', async () => {
  const { problems, results } = await run(`  - name: one
    request: ${ASK}
    expect: { statsu: 200 }
  - name: two
`)
  assert.equal(results, [])
  assert.equal(
    problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`),
    [
      '16:15 unknown_key test has no key "expect.statsu"; did you mean "status"?',
      '17:5 bad_option test is wrong: a test has either "steps" or one "request"',
    ],
  )
})

test('a mistake inside one of several replies is told where it is', async () => {
  const { problems } = await run(`  - name: one
    request: ${ASK}
    upstream: { main: [{ text: a }, { txet: b }] }
`)
  assert.equal(
    problems.map(({ line, column, message }) => `${line}:${column} ${message}`),
    ['16:39 test has no key "upstream.main[1].txet"; did you mean "text"?'],
  )
})

test('a pipeline that does not stand fails its tests with the reason', async () => {
  const text = `${PIPELINE.replace('store: memory', 'store: nowhere')}  - { name: one, request: ${ASK} }\n`
  const { results } = await runText('/p.yaml', text, { loader, settings: isolated.settings })
  assert.match(results[0]?.differences[0] ?? '', /the gateway did not start: .*unknown_store/)
})

test('an unknown setting in a test is told', async () => {
  const { results } = await run(`  - { name: one, settings: { ofline_mode: true }, request: ${ASK} }\n`)
  assert.match(results[0]?.differences[0] ?? '', /there is no setting "ofline_mode"; did you mean "offline_mode"\?/)
})

test('the report has one line for each test', async () => {
  const result = await run(
    `  - { name: good, request: ${ASK} }\n  - { name: bad, request: ${ASK}, expect: { status: 1 } }\n`,
  )
  assert.equal(reportLines(result), [
    'ok    /p.yaml:14 good',
    'FAIL  /p.yaml:15 bad',
    '        status: expected 1, got 200',
  ])
})

test.run()
