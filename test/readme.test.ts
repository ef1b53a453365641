import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { loadSettings } from '../config/load.ts'
import { pipelineSettings } from '../config/providers.ts'
import { isSettingKey, providerEntry, SETTINGS, variablesOf } from '../config/schema.ts'
import { problemLine } from '../core/gateway.ts'
import { createLoader } from '../core/pipeline/loader.ts'
import { aliases } from '../plugins/providers/index.ts'
import { WORKLOAD } from '../surfaces/cli/demo/workload.ts'
import { lintText } from '../surfaces/cli/pipeline/lint.ts'
import { type Block, blocksOf, codeOf, readDocument, root, tableOf } from './support/markdown.ts'
import { Shell } from './surfaces/cli/command.ts'
import { FREE, up } from './surfaces/cli/gateway.ts'

/** The README's blocks do what it says, against a gateway in demo mode on a free port. */

const readme = readDocument('README.md')
const blocks = blocksOf(readme)
const of = (language: string): Block[] => blocks.filter(block => block.language === language)
const DEFAULT_PIPELINE = `${root}pipelines/default.yaml`

const shell = new Shell()
const { url } = await up(shell, [...FREE, '--demo'])
test.after(() => shell.close())

/** The README names port 8080; here the gateway has another one. */
const here = (text: string): string => text.replaceAll('http://127.0.0.1:8080', url)

/** The file that a block says it is, in its first line. */
const nameOf = ({ text }: Block): string => /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text)?.[1] ?? ''

for (const block of [...of('ts'), ...of('yaml')]) shell.write(nameOf(block), block.text)
symlinkSync(join(root, 'node_modules'), join(shell.cwd, 'node_modules'))

const bin = join(shell.root, 'bin')
mkdirSync(bin)
function command(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}`)
  chmodSync(join(bin, name), 0o755)
}
const main = `"${process.execPath}" --conditions development --import "${root}node_modules/tsx/dist/loader.mjs" "${root}surfaces/cli/main.ts"`
// Commands that serve would not end. Their flags are looked up, and the settings around them are read.
for (const serving of ['up', 'mcp']) {
  const { code, stdout } = await shell.run([serving, '--help'])
  assert.is(code, 0)
  writeFileSync(join(bin, `${serving}.help`), stdout)
}
command(
  'npx',
  `[ "$1" = deflector ] || { echo "npx $1 is not ours" >&2; exit 64; }
shift
case "$1" in
  up|mcp)
    help=$(cat "${bin}/$1.help")
    shift
    for flag; do case "$flag" in
      --*) echo "$help" | grep -q -e " $flag\\b" || { echo "there is no flag $flag" >&2; exit 64; };;
    esac; done
    if env | grep -q ^SERVICE__; then ${main} config show > /dev/null; fi;;
  *) exec ${main} "$@";;
esac
`,
)
const scripts = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(readDocument('package.json')))
command(
  'npm',
  `case "$1" in
  ci) exit 0;;
  run) script=$2;;
  *) script=$1;;
esac
case " ${Object.keys(scripts.scripts).join(' ')} " in *" $script "*) ;; *) echo "npm has no $script" >&2; exit 64;; esac
`,
)
// A coding agent is not here: the address that it is given is looked at, and a server command is run.
command(
  'claude',
  `for word; do
  shift
  case "$word" in
    http*) code=$(curl -s -o /dev/null -w '%{http_code}' "$word"); [ "$code" != 404 ] || { echo "nothing is at $word" >&2; exit 64; };;
    --) exec "$@";;
  esac
done
[ -z "$ANTHROPIC_BASE_URL" ] || curl -s "$ANTHROPIC_BASE_URL/v1/models" > /dev/null
`,
)
writeFileSync(join(shell.root, '.curlrc'), 'fail\nsilent\nshow-error\n')

const requestId = { last: '' }

async function run(
  program: string,
  args: readonly string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const around = Object.entries(process.env).filter(([name]) => !/^(?:SERVICE_|ANTHROPIC_|OPENAI_|OTEL_)/.test(name))
  const child = spawn(program, args, {
    cwd: shell.cwd,
    env: {
      ...Object.fromEntries(around),
      PATH: `${bin}:${process.env.PATH}`,
      CURL_HOME: shell.root,
      SERVICE_DATA_DIR: shell.dataDir,
      ID: requestId.last,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', bytes => {
    out += bytes
  })
  child.stderr.on('data', bytes => {
    err += bytes
  })
  const [code] = await once(child, 'close')
  return { code, out, err }
}

test('every block has a language that is run here, and every file block its name', () => {
  assert.equal([...new Set(blocks.map(({ language }) => language))].sort(), [
    'js',
    'python',
    'sh',
    'toml',
    'ts',
    'yaml',
  ])
  for (const language of ['toml', 'yaml', 'ts']) for (const block of of(language)) assert.ok(nameOf(block), block.text)
})

for (const block of of('toml')) {
  test(`the settings of line ${block.line} load, and the shipped pipeline takes them`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deflector-readme-'))
    try {
      writeFileSync(join(folder, nameOf(block)), block.text)
      const loaded = loadSettings({ cwd: folder, env: { SERVICE_DATA_DIR: folder } })
      assert.is(loaded.file, join(folder, 'service.toml'))
      const text = readFileSync(DEFAULT_PIPELINE, 'utf8')
      const problems = await lintText(DEFAULT_PIPELINE, text, pipelineSettings(loaded), createLoader())
      assert.equal(problems.map(problemLine), [])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

for (const block of of('yaml')) {
  test(`the pipeline of line ${block.line} has neither errors nor warnings`, async () => {
    const loaded = loadSettings({ cwd: shell.cwd, env: { SERVICE_DATA_DIR: shell.dataDir } })
    const file = join(shell.cwd, nameOf(block))
    const problems = await lintText(file, block.text, pipelineSettings(loaded), createLoader())
    assert.equal(problems.map(problemLine), [])
  })
}

for (const block of of('js')) {
  test(`the client of line ${block.line} is answered by the vendor, then by the cache`, async () => {
    const file = shell.write(`client-${block.line}.mjs`, here(block.text))
    const { code, out, err } = await run(process.execPath, [file])
    assert.is(code, 0, err)
    const lines = out.split('\n')
    assert.match(lines.find(line => line.startsWith('first')) ?? '', /^first l3 \S/)
    assert.match(lines.find(line => line.startsWith('again')) ?? '', /^again l1a \S/)
  })
}

const python = spawnSync('python3', ['--version']).status === 0
for (const block of python ? of('python') : []) {
  test(`the Python of line ${block.line} compiles`, async () => {
    const file = shell.write(`client-${block.line}.py`, block.text)
    const { code, err } = await run('python3', ['-m', 'py_compile', file])
    assert.is(code, 0, err)
  })
}

const ends = ({ text }: Block): boolean => text.includes('deflector stop')
const hasCurl = spawnSync('curl', ['--version']).status === 0
for (const block of [...of('sh').filter(one => !ends(one)), ...of('sh').filter(ends)]) {
  if (/\b(?:curl|claude)\b/.test(block.text) && !hasCurl) continue
  test(`the commands of line ${block.line} do what they say`, async () => {
    const { code, out, err } = await run('sh', ['-e', '-c', here(block.text)])
    assert.is(code, 0, `${block.text}${out}${err}`)
    requestId.last = /^x-service-request-id: (\S+)/im.exec(out)?.[1] ?? requestId.last
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
