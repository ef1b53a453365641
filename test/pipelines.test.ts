import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { problemLine } from '../core/gateway.ts'
import { createLoader } from '../core/pipeline/loader.ts'
import { PROBLEMS } from '../core/pipeline/problems.ts'
import type { Settings } from '../core/pipeline/types.ts'
import { lintText } from '../surfaces/cli/pipeline/lint.ts'
import { pipelineSchema } from '../surfaces/cli/pipeline/schema.ts'
import { isolatedSettings } from '../surfaces/cli/pipeline/settings.ts'
import { runTests, runText } from '../surfaces/cli/pipeline/test/run.ts'
import { schemaFaults, strictFaults } from './support/json-schema.ts'
import { tableOf } from './support/markdown.ts'

/** What ships in `pipelines/`, and what its README shows. */

const folder = fileURLToPath(new URL('../pipelines/', import.meta.url))
const shipped = readdirSync(folder).filter(file => file.endsWith('.yaml'))
const loader = createLoader()
const isolated = isolatedSettings()
let settings: Settings

test.before(async () => {
  settings = await isolated.settings()
})
test.after(() => isolated.close())

/** The YAML blocks of a Markdown file, each with as many empty lines before it that its lines keep their numbers. */
function blocks(markdown: string): string[] {
  const found = [...markdown.matchAll(/^```yaml\n(.*?)^```$/gms)]
  return found.map(({ index, 1: text = '' }) => '\n'.repeat(markdown.slice(0, index).split('\n').length) + text)
}

test('the three shipped pipelines are there', () => {
  assert.equal(shipped.sort(), ['default.yaml', 'offline.yaml', 'tiny.yaml'])
})

for (const name of shipped) {
  const file = `${folder}${name}`

  test(`${name} has neither errors nor warnings`, async () => {
    const problems = await lintText(file, readFileSync(file, 'utf8'), settings, loader)
    assert.equal(problems.map(problemLine), [])
  })

  test(`${name} passes its own tests`, async () => {
    const { problems, results } = await runTests(file, { loader, settings: isolated.settings })
    assert.equal(problems, [])
    assert.equal(
      results.filter(({ differences }) => differences.length > 0),
      [],
    )
  })
}

test('default.yaml does what its settings say', async () => {
  const file = `${folder}default.yaml`
  const more = readFileSync(new URL('./fixtures/pipelines/default-tests.yaml', import.meta.url), 'utf8')
  const { problems, results } = await runText(file, readFileSync(file, 'utf8') + more, {
    loader,
    settings: isolated.settings,
  })
  assert.equal(problems, [])
  assert.ok(results.length >= 10)
  assert.equal(
    results.filter(({ differences }) => differences.length > 0),
    [],
  )
})

test('every YAML block of the README has neither errors nor warnings', async () => {
  const file = `${folder}README.md`
  const found = blocks(readFileSync(file, 'utf8'))
  assert.ok(found.length >= 4)
  for (const text of found) {
    const problems = await lintText(file, text, settings, loader)
    assert.equal(problems.map(problemLine), [])
  }
})

test('the README lists every code of a finding, with its severity and meaning', () => {
  const rows = tableOf(readFileSync(`${folder}README.md`, 'utf8'), 'code', 'severity', 'what is wrong')
  const catalogue = Object.entries(PROBLEMS).map(([code, { severity, meaning }]) => [`\`${code}\``, severity, meaning])
  assert.equal(rows, catalogue)
})

test('the tests that the README shows pass', async () => {
  const file = `${folder}README.md`
  const found = await Promise.all(
    blocks(readFileSync(file, 'utf8')).map(text => runText(file, text, { loader, settings: isolated.settings })),
  )
  const results = found.flatMap(one => one.results)
  assert.ok(results.length > 0)
  assert.equal(
    results.flatMap(({ differences }) => differences),
    [],
  )
})

test('the JSON Schema in the folder is the one of the built-in plugins', async () => {
  const kept: unknown = JSON.parse(readFileSync(`${folder}pipeline.schema.json`, 'utf8'))
  const made: unknown = JSON.parse(JSON.stringify(await pipelineSchema(loader)))
  const hint = 'write it anew with: deflector pipeline schema --out pipelines/pipeline.schema.json'
  assert.is(JSON.stringify(kept) === JSON.stringify(made), true, hint)
})

test('the JSON Schema accepts what lint accepts', async () => {
  const schema = await pipelineSchema(loader)
  const texts = [
    ...shipped.map(name => readFileSync(folder + name, 'utf8')),
    ...blocks(readFileSync(`${folder}README.md`, 'utf8')),
  ]
  for (const text of texts) assert.equal(schemaFaults(schema, text), [])
})

test('the JSON Schema refuses what lint refuses', async () => {
  const schema = await pipelineSchema(loader)
  const wrong = [
    'surface: {}',
    'layers: { cloud: { options: { chian: [] } } }',
    'layers: { mine: { use: cloud, options: { offline: perhaps } } }',
    'stores: { memory: { flow: x } }',
    'flows: { chat: auth }',
    'tests: [{ request: { path: / } }]',
  ]
  for (const text of wrong) assert.ok(schemaFaults(schema, text).length > 0, text)
})

test('the schema holds nothing that a strict validator refuses', async () => {
  assert.equal(strictFaults(await pipelineSchema(loader)), [])
})

test.run()
