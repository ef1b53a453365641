import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { childFlags } from '../../../../../plugins/layers/semantic-cache/engine/engine-child.ts'
import { SOURCES } from '../../../../support/typescript/flags.mjs'

const ENGINE = new URL('../../../../../plugins/layers/semantic-cache/engine/', import.meta.url)

/** Runs code in a process that can open so many files; gives what it says. */
async function said(code: string, files: number): Promise<string> {
  const flags = [...SOURCES, '--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    `ulimit -n ${files}; exec "$0" "$@"`,
    process.execPath,
    ...flags,
  ])
  return stdout.trim()
}

test('without a file descriptor left it throws, and this process lives on', async () => {
  const code = `
    import { closeSync, openSync } from 'node:fs'
    const { EngineChild } = await import('${new URL('engine-child.ts', ENGINE)}')
    const opened = []
    try { for (;;) opened.push(openSync('/dev/null', 'r')) } catch {}
    const said = []
    try {
      new EngineChild({}, { message() {}, ended: how => said.push('ended') })
    } catch (error) {
      said.push(error.message)
    }
    process.once('beforeExit', () => {
      for (const one of opened) closeSync(one)
      console.log(said.join())
    })`
  assert.is(await said(code, 200), 'the system gave the semantic engine no process')
})

test('a gateway that was started with code as its flag has an engine all the same', async () => {
  const code = `
    const { EngineChild } = await import('${new URL('engine-child.ts', ENGINE)}')
    const end = said => { console.log(said); process.exit() }
    new EngineChild({}, { message: ({ is }) => end(is), ended: end })`
  assert.is(await said(code, 1000), 'ready')
})

test('the child gets the flags about modules and memory, however they are written', () => {
  const given =
    '-C development --import=tsx --import ./a.mjs --loader l --max-old-space-size=512 --max_semi_space_size=8'.split(
      ' ',
    )
  const others = ['-e', 'process.exit(1)', '-pe', '1', '--inspect=9229', '--inspect-brk', '--watch', '--test']
  assert.equal(childFlags([...others, ...given]), [
    '--conditions=development',
    '--import=tsx',
    '--import=./a.mjs',
    '--loader=l',
    '--max-old-space-size=512',
    '--max_semi_space_size=8',
  ])
})

test.run()
