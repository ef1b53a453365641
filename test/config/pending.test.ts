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
    const file =
      'context_optimizer_minify = true\ncache_ttl_secs = 9\nlocal_slm_model = "m"\n[quota.openai]\ndaily_token_limit = 5\n'
    assert.is(
      pendingWarning(place.load(file, { SERVICE__ENABLE_SLM_ROUTER: 'true' })),
      'these settings have no effect yet, because their feature does not exist: enable_slm_router (SERVICE__ENABLE_SLM_ROUTER), local_slm_model (service.toml:3), context_optimizer_minify (service.toml:1)',
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
