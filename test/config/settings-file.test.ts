import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { setInToml } from '../../config/settings-file.ts'
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

test('what the disk takes in parts is written to its end', () => {
  const file = join(tempFolder('settings'), 'service.toml')
  const { writeSync } = fs
  // As a disk does that is nearly full, or a file system over the network.
  const some = (fd: number, bytes: NodeJS.ArrayBufferView, from?: number, length = 0): number =>
    writeSync(fd, bytes, from, Math.min(length, 7))
  try {
    fs.writeSync = some as typeof writeSync
    syncBuiltinESMExports()
    setInToml(file, file, { path: ['model_aliases', 'a-name-of-more-than-seven-letters'], value: 'm' })
  } finally {
    fs.writeSync = writeSync
    syncBuiltinESMExports()
  }
  assert.match(readFileSync(file, 'utf8'), /^a-name-of-more-than-seven-letters = "m"$/m)
})

test('what a process left that was killed in its write is removed, and what a living one writes is not', () => {
  const folder = tempFolder('settings')
  const file = join(folder, 'service.toml')
  const [gone, living] = ['.service.toml.2147480000.tmp', `.service.toml.${process.ppid}.tmp`]
  for (const name of [gone, living]) writeFileSync(join(folder, name), 'gateway_api_key = "k"')
  assert.is(setInToml(file, file, { path: ['model_aliases', 'fast'], value: 'm' }), true)
  assert.equal(readdirSync(folder).sort(), [living, 'service.toml'])
})

test.run()
