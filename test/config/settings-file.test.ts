import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { tempFolder } from '../support/opened.ts'

/** Sets so many aliases, one after the other. */
const WRITER = `
  const { setInToml } = await import(process.argv[1])
  const [, , file, name] = process.argv
  for (let n = 0; n < 20; n++) setInToml(file, file, { path: ['model_aliases', name + n], value: 'm' })
`

test('processes that set keys at the same time lose none of them', async () => {
  const file = join(tempFolder('settings'), 'service.toml')
  const module = fileURLToPath(new URL('../../config/settings-file.ts', import.meta.url))
  const args = [...process.execArgv, '--input-type=module', '--eval', WRITER, module, file]
  const writers = ['a', 'b', 'c'].map(name => spawn(process.execPath, [...args, name], { stdio: 'inherit' }))
  const ended = await Promise.all(writers.map(writer => once(writer, 'exit')))
  assert.equal(
    ended.map(([code]) => code),
    [0, 0, 0],
  )
  const names = readFileSync(file, 'utf8').match(/^\w+(?= = "m"$)/gm)
  assert.is(new Set(names).size, 60)
})

test.run()
