import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pluginPaths, watchFiles } from '../../../surfaces/cli/watch.ts'

const dir = mkdtempSync(join(tmpdir(), 'deflector-watch-'))
const file = join(dir, 'pipeline.yaml')
test.after(() => rmSync(dir, { recursive: true }))

test('plugins named by path are found, by name not; a broken file names none', () => {
  writeFileSync(file, 'providers:\n  a: { use: ./a.ts }\n  b: { use: groq }\nlayers: { c: { use: ../c } }\n')
  assert.equal(pluginPaths(file), [join(dir, 'a.ts'), join(dir, '..', 'c', 'index.ts')])
  writeFileSync(file, 'a: [')
  assert.equal(pluginPaths(file), [])
  assert.equal(pluginPaths(join(dir, 'none.yaml')), [])
})

test('several writes at once are one change, and files beside are none', async () => {
  writeFileSync(file, 'flows: {}\n')
  let changes = 0
  let told = (): void => {}
  const first = new Promise<void>(resolve => {
    told = resolve
  })
  const watching = watchFiles({ pipelineFile: file, settingsFiles: [join(dir, 'service.toml')] }, () => {
    changes++
    told()
  })
  writeFileSync(join(dir, 'notes.txt'), 'x')
  writeFileSync(file, 'flows: {}\n# a\n')
  writeFileSync(join(dir, 'service.toml'), '')
  await first
  watching.stop()
  assert.is(changes, 1)
})

test.run()
