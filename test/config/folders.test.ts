import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ensureDataDir } from '../../config/data-dir.ts'
import { folderFault } from '../../config/folder-fault.ts'
import { requireFolders } from '../../config/folders.ts'
import { inPlace } from './place.ts'

test(
  'a folder that can be made has no fault, and nothing is left of the look at it',
  inPlace(place => {
    assert.is(folderFault(join(place.dataDir, 'a/b')), undefined)
    assert.is(folderFault(place.dataDir), undefined)
    assert.equal(readdirSync(place.dataDir), [])
  }),
)

test(
  'a folder that was set and cannot be made is refused with its setting, its place and the reason',
  inPlace(place => {
    const file = place.write('a-file', '')
    const problems = (env: Record<string, string>): string => {
      try {
        requireFolders(place.load(`usage_log_path = "${file}"\n`, env))
        return ''
      } catch (error) {
        return error instanceof Error ? error.message : ''
      }
    }
    const log = { SERVICE__REQUEST_LOG_PATH: join(file, 'log'), SERVICE__USAGE_LOG_PATH: place.dataDir }
    assert.is(problems(log), '', 'a folder that nobody writes in does not matter')
    assert.is(
      problems({ ...log, SERVICE__ENABLE_REQUEST_LOGS: 'true' }),
      `SERVICE__REQUEST_LOG_PATH: request_log_path: there can be no folder ${file}/log (ENOTDIR); name a folder that the gateway may write to`,
    )
    assert.is(
      problems({}),
      `service.toml:1: usage_log_path: nothing can be written in ${file} (ENOTDIR); name a folder that the gateway may write to`,
    )
  }),
)

test('where the system makes no folders, the data directory is refused at once', () => {
  if (existsSync('/proc/self'))
    assert.throws(() => ensureDataDir('/proc/x/y'), /the data directory \/proc\/x\/y cannot be created \(E\w+\)/)
})

test.run()
