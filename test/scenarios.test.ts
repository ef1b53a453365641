import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { problemLine } from '../core/gateway.ts'
import { createLoader } from '../core/pipeline/loader.ts'
import { lintFile } from '../surfaces/cli/pipeline/lint.ts'
import { isolatedSettings } from '../surfaces/cli/pipeline/settings.ts'
import { runTests } from '../surfaces/cli/pipeline/test/run.ts'

/** One folder for each row of the specification's state tables; the first line of its pipeline says which. */

const root = new URL('./scenarios/', import.meta.url)
const folders = readdirSync(root, { withFileTypes: true }).filter(entry => entry.isDirectory())
const loader = createLoader()
const isolated = isolatedSettings()

test.after(() => isolated.close())

for (const { name } of folders) {
  const file = fileURLToPath(new URL(`${name}/pipeline.yaml`, root))
  const [title = ''] = readFileSync(file, 'utf8').split('\n')
  test(`${name}: ${title.replace(/^# */, '')}`, async () => {
    assert.match(title, /^# \S/, 'the first line says what the scenario is about')
    const problems = await lintFile(file, await isolated.settings(), loader)
    assert.equal(problems.map(problemLine), [])
    const { results } = await runTests(file, { loader, settings: isolated.settings })
    assert.ok(results.length > 0, 'there are tests')
    const failed = results.filter(({ differences }) => differences.length > 0)
    const told = failed.map(result => [`${file}:${result.at.line} ${result.name}`, ...result.differences].join('\n  '))
    assert.is(told.join('\n'), '')
  })
}

test.run()
