import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pendingWarning } from '../../config/pending.ts'
import { ROWS } from '../../config/schema.ts'
import { inPlace } from './place.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Tables and checks name every setting; whoever uses one is somewhere else. */
const TABLES = new Set(['schema.ts', 'sections.ts', 'checks.ts', 'environment.ts'])

function textsOf(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith(ending) && !TABLES.has(name))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
}

test('a setting is pending exactly as long as no shipped pipeline and no code reads it', () => {
  const pipelines = textsOf('pipelines', '.yaml').join('\n')
  const code = [...textsOf('config', '.ts'), ...textsOf('surfaces/cli', '.ts')].join('\n')
  const isRead = (key: string): boolean =>
    pipelines.includes(`\${${key}}`) || code.includes(`'${key}'`) || new RegExp(`\\bvalues\\??\\.${key}\\b`).test(code)
  for (const [key, row] of ROWS) assert.is(row.pending, !isRead(key), key)
})

test(
  'settings whose feature is not there are named on one line, each with its source',
  inPlace(place => {
    const file = 'stream_hold = true\ncache_ttl_secs = 9\n[quota.openai]\ndaily_token_limit = 5\n'
    const loaded = place.load(file, { SERVICE__OFFLINE_MODE: 'true' })
    const rows = ROWS.map(([key]) => [key, { pending: key === 'offline_mode' || key === 'stream_hold' }] as const)
    assert.is(
      pendingWarning(loaded, rows),
      'these settings have no effect yet, because their feature does not exist: stream_hold (service.toml:1), offline_mode (SERVICE__OFFLINE_MODE)',
    )
  }),
)

test(
  'nothing is said of defaults, and of settings that count',
  inPlace(place => {
    assert.is(pendingWarning(place.load('cache_ttl_secs = 9\n', { SERVICE__CACHE_MODE: 'exact' })), undefined)
  }),
)

test.run()
