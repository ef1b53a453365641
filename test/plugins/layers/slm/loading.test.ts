import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadedFiles } from '../../../support/loaded-files.ts'
import { until } from '../../../support/until.ts'

const has = (ending: string): boolean => loadedFiles.some(url => url.endsWith(ending))

test('a gateway without a small model loads nothing of its layer but options and words', async () => {
  const { startGateway } = await import('../../../support/gateway.ts')
  const gateway = await startGateway({})
  await gateway.close()
  await import('../../../support/loaded-last.ts')
  await until('what was loaded is known', () => has('/loaded-last.ts'))
  assert.equal(
    loadedFiles
      .filter(url => url.includes('/plugins/layers/slm/') && !url.includes('/test/'))
      .map(url => url.split('/').at(-1))
      .sort(),
    ['index.ts', 'models.ts', 'options.ts', 'step-words.ts', 'tiers.ts'],
  )
  assert.not.ok(loadedFiles.some(url => url.includes('/plugins/models/chat-server/')))
})

test('one with a small model loads it, and no trained classifier', async () => {
  const { startGateway } = await import('../../../support/gateway.ts')
  const gateway = await startGateway({ settings: { SERVICE__ENABLE_SLM_ROUTER: 'true' } })
  await gateway.close()
  await until('it is loaded', () => has('/slm/router.ts') && has('/chat-server/index.ts'))
  assert.not.ok(has('/slm/intent-heads.ts'))
})

test.run()
