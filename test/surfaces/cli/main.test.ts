import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ROWS } from '../../../config/schema.ts'
import { inShell } from './command.ts'

const STACK = /\n\s+at /

test(
  '--help names every command',
  inShell(async shell => {
    const { code, stdout } = await shell.run(['--help'])
    assert.is(code, 0)
    for (const command of ['up', 'demo', 'check', 'reload', 'stop', 'config', 'pipeline'])
      assert.match(stdout, new RegExp(`^ {2}${command}\\b`, 'm'))
  }),
)

test(
  "--version is the package's",
  inShell(async shell => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    assert.is((await shell.run(['--version'])).stdout.trim(), version)
  }),
)

test(
  'an unknown command fails',
  inShell(async shell => {
    const { code, stderr } = await shell.run(['upp'])
    assert.is(code, 1)
    assert.match(stderr, /unknown command 'upp'/)
  }),
)

test(
  'config show prints every setting with its source, and no secret whole',
  inShell(async shell => {
    shell.write('service.toml', '[server]\nport = 9001\n')
    const env = { SERVICE__EXTERNAL_LLM_API_KEY: 'sk-abcdefghijklmnop1234' }
    const { code, stdout } = await shell.run(['config', 'show'], env)
    assert.is(code, 0)
    assert.match(stdout, /^server\.port +9001 +service\.toml:2$/m)
    assert.match(stdout, /^external_llm_api_key +sk…34 +SERVICE__EXTERNAL_LLM_API_KEY$/m)
    const json: { key: string; value: unknown }[] = JSON.parse(
      (await shell.run(['config', 'show', '--json'], env)).stdout,
    )
    const named = new Map(json.map(({ key, value }) => [key, value]))
    assert.ok(named.size >= ROWS.length)
    assert.is(named.get('server.port'), 9001)
    assert.is(named.get('external_llm_api_key'), 'sk…34')
  }),
)

test(
  'bad settings end a command with one line for each problem',
  inShell(async shell => {
    shell.write('service.toml', 'cache_mode = "x"\n')
    for (const command of [['up'], ['config', 'show']]) {
      const { code, stdout, stderr } = await shell.run(command, { SERVICE__PRT: '1', SERVICE__LOG_FORMAT: 'text' })
      assert.is(code, 1)
      assert.is(stdout, '')
      assert.equal(stderr.trimEnd().split('\n'), [
        'deflector: service.toml:1: cache_mode must be exact, semantic or both, not "x"',
        'deflector: SERVICE__PRT: there is no such setting; did you mean "SERVICE__PORT"?',
      ])
    }
  }),
)

test(
  'what cannot start says why in one line',
  inShell(async shell => {
    const text = { SERVICE__LOG_FORMAT: 'text' }
    const missing = await shell.run(['up', '--pipeline', 'nope.yaml'], text)
    assert.is(missing.code, 1)
    assert.match(missing.stderr, /^deflector: --pipeline: there is no pipeline file .*nope\.yaml; check the path\n$/)
    const named = await shell.run(['up'], { ...text, SERVICE__PIPELINE: 'nope.yaml' })
    assert.match(named.stderr, /^deflector: SERVICE__PIPELINE: there is no pipeline file /)
    shell.write('bad.yaml', 'surfaces:\n  http: {}\nlayerz: {}\n')
    const bad = await shell.run(['up', '--pipeline', 'bad.yaml'], text)
    assert.is(bad.code, 1)
    assert.match(bad.stderr, /bad\.yaml:3:1 error unknown_key/)
    const folder = await shell.run(['up', '--pipeline', '.'], text)
    assert.match(folder.stderr, /^deflector: --pipeline: .* is a folder; name a pipeline file in it: bad\.yaml\n$/)
    mkdirSync(join(shell.cwd, 'empty'))
    const empty = await shell.run(['up', '--pipeline', 'empty'], text)
    assert.match(empty.stderr, / is a folder; it holds no pipeline file \(\*\.yaml\)\n$/)
    assert.not.match(bad.stderr, STACK)
    const port = await shell.run(['up', '--port', 'http'], text)
    assert.is(port.stderr, 'deflector: --port: server.port must be a whole number from 0 to 65535, not "http"\n')
  }),
)

test(
  'a data directory that cannot be created is reported with the name of its variable',
  inShell(async shell => {
    const env = { SERVICE__LOG_FORMAT: 'text', SERVICE_DATA_DIR: `${shell.write('a-file', '')}/below` }
    const { code, stderr } = await shell.run(['up', '--demo', '--port', '0'], env)
    assert.is(code, 1)
    assert.match(
      stderr,
      /^deflector: SERVICE_DATA_DIR: the data directory .*a-file\/below cannot be created \(ENOTDIR\); set SERVICE_DATA_DIR to a folder that this user may write to\n$/,
    )
  }),
)

test(
  'a wrong name that a setting brought in is blamed on the setting',
  inShell(async shell => {
    const { code, stderr } = await shell.run(['up', '--port', '0'], { SERVICE__LLM_PROVIDER: 'opnai' })
    assert.is(code, 1)
    assert.match(JSON.parse(stderr).msg, 'did you mean "openai"? (llm_provider comes from SERVICE__LLM_PROVIDER)')
  }),
)

test(
  'a reader that leaves early is no error',
  inShell(async shell => {
    const started = shell.start(['config', 'show'])
    started.child.stdout?.destroy()
    const { code, stderr } = await started.ended
    assert.is(code, 0)
    assert.is(stderr, '')
  }),
)

test.run()
