import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { WorkFolder } from '../../../../plugins/layers/cloud/work-folder.ts'
import { tempFolder } from '../../../support/opened.ts'

const life = { ttlSecs: 60, staleSecs: 0 }
const text = (value: Uint8Array | undefined): string | undefined => value && Buffer.from(value).toString()

test('an entry is there for whoever opens the folder, and deleted for one of them alone', async () => {
  const path = join(tempFolder('work'), 'new')
  const folders = [new WorkFolder(path), new WorkFolder(path)]
  assert.is(await folders[0]?.get('a'), undefined)
  assert.is(await folders[0]?.delete('a'), false)
  await folders[0]?.set('a', Buffer.from('kept'), life)
  assert.is(text((await folders[1]?.get('a'))?.value), 'kept')
  const deleted = await Promise.all(folders.map(folder => folder.delete('a')))
  assert.equal(deleted.sort(), [false, true])
  assert.is(await folders[1]?.get('a'), undefined)
})

test('what was set too long ago goes with the next one', async () => {
  const path = tempFolder('work')
  const folder = new WorkFolder(path)
  for (const key of ['old', 'recent']) await folder.set(key, Buffer.from(key), life)
  const { mtimeMs } = statSync(join(path, 'recent'))
  utimesSync(join(path, 'old'), mtimeMs / 1000 - 100, mtimeMs / 1000 - 100)
  await folder.set('new', Buffer.from('new'), life)
  assert.equal(
    [text((await folder.get('old'))?.value), text((await folder.get('recent'))?.value)],
    [undefined, 'recent'],
  )
})

test.run()
