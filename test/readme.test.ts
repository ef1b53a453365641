import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadSettings } from '../config/load.ts'
import { pipelineSettings } from '../config/providers.ts'
import { isSettingKey, providerEntry, SETTINGS, variablesOf } from '../config/schema.ts'
import { problemLine } from '../core/gateway.ts'
import { createLoader } from '../core/pipeline/loader.ts'
import { aliases } from '../plugins/providers/index.ts'
import { WORKLOAD } from '../surfaces/cli/demo/workload.ts'
import { lintText } from '../surfaces/cli/pipeline/lint.ts'
import { codeOf, root, tableOf } from './support/markdown.ts'
import { blocks, blocksIn, nameOf, readme } from './support/readme.ts'

/** What the README says of files, settings and vendors. Its commands and clients have tests of their own. */

const DEFAULT_PIPELINE = `${root}pipelines/default.yaml`
const folder = mkdtempSync(join(tmpdir(), 'deflector-readme-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))
const write = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

test('every block has a language that is run here, and every file block its name', () => {
  assert.equal([...new Set(blocks.map(({ language }) => language))].sort(), [
    'js',
    'python',
    'sh',
    'text',
    'toml',
    'ts',
    'yaml',
  ])
  for (const language of ['toml', 'yaml', 'ts'])
    for (const block of blocksIn(language)) assert.ok(nameOf(block), block.text)
})

for (const block of blocksIn('toml')) {
  test(`the settings of line ${block.line} load, and the shipped pipeline takes them`, async () => {
    const file = write(nameOf(block), block.text)
    const loaded = loadSettings({ cwd: folder, env: { SERVICE_DATA_DIR: folder } })
    rmSync(file)
    assert.is(loaded.file, file)
    const text = readFileSync(DEFAULT_PIPELINE, 'utf8')
    const problems = await lintText(DEFAULT_PIPELINE, text, pipelineSettings(loaded), createLoader())
    assert.equal(problems.map(problemLine), [])
  })
}

for (const block of blocksIn('yaml').filter(one => nameOf(one) !== 'prometheus.yml')) {
  test(`the pipeline of line ${block.line} has neither errors nor warnings`, async () => {
    for (const plugin of blocksIn('ts')) write(nameOf(plugin), plugin.text)
    const loaded = loadSettings({ cwd: folder, env: { SERVICE_DATA_DIR: folder } })
    const file = write(nameOf(block), block.text)
    const problems = await lintText(file, block.text, pipelineSettings(loaded), createLoader())
    assert.equal(problems.map(problemLine), [])
  })
}

const python = spawnSync('python3', ['--version']).status === 0
for (const block of python ? blocksIn('python') : []) {
  test(`the Python of line ${block.line} compiles`, () => {
    const file = write(`client-${block.line}.py`, block.text)
    const { status, stderr } = spawnSync('python3', ['-m', 'py_compile', file], { encoding: 'utf8' })
    assert.is(status, 0, stderr)
  })
}

test('the demo sends and calls as often as it says', () => {
  const requests = WORKLOAD.reduce((sum, { atOnce = 1 }) => sum + atOnce, 0)
  const calls = WORKLOAD.filter(({ expect }) => expect === 'l3').length
  assert.ok(
    readme.includes(`It sends ${requests} requests of three clients and makes ${calls} calls to a built-in vendor.`),
  )
})

test('the table of settings says what the settings are', () => {
  const rows = tableOf(readme, 'key', 'variable', 'default')
  assert.ok(rows.length > 10)
  for (const [key = '', variable = '', fallback = ''] of rows) {
    const [name = ''] = codeOf(key)
    if (!isSettingKey(name)) throw new Error(`there is no setting ${name}`)
    assert.ok(variablesOf(name).includes(codeOf(variable)[0] ?? ''), `${name}: ${variable}`)
    const value: unknown = SETTINGS[name].default
    const [said] = codeOf(fallback)
    if (said === undefined) assert.is(String(value ?? ''), '', name)
    else assert.is(String(value), said, name)
  }
})

test('settings in the text exist', () => {
  const missing = codeOf(readme)
    .filter(code => /^[a-z_]+(?:\.[a-z_]+)? = /.test(code))
    .map(code => code.split(' = ')[0] ?? '')
    .filter(key => !isSettingKey(key))
  assert.equal(missing, [])
})

test('every field of a fallback provider is explained', () => {
  const rows = tableOf(readme, 'field', 'meaning')
  const told = rows.flatMap(([field = '']) => codeOf(field))
  assert.equal(told.sort(), Object.keys(providerEntry.shape).sort())
})

test('the table of vendors has every preset, under its names and with its model', () => {
  const rows = tableOf(readme, '`llm_provider`', 'default model')
  const told = new Map(rows.flatMap(([names = '', model = '']) => codeOf(names).map(name => [name, model] as const)))
  told.delete('url')
  assert.ok(told.delete('demo'))
  const vendors = new Map<string, string[]>()
  for (const [name, preset] of Object.entries(aliases)) {
    const vendor = JSON.stringify(preset)
    vendors.set(vendor, [...(vendors.get(vendor) ?? []), name])
  }
  const untold = [...vendors.values()].filter(names => !names.some(name => told.has(name)))
  assert.equal(untold, [])
  for (const [name, model] of told) {
    assert.ok(aliases[name], `there is no vendor ${name}`)
    const [said] = codeOf(model)
    if (said !== undefined) assert.is(aliases[name]?.options.model, said, name)
  }
})

test.run()
