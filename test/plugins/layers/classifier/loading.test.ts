import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadedFiles } from '../../../support/loaded-files.ts'
import { until } from '../../../support/until.ts'

const has = (ending: string): boolean => loadedFiles.some(url => url.endsWith(ending))

test('a gateway without classifier routing loads nothing of its layer but options and words, and starts no thread', async () => {
  const { startGateway } = await import('../../../support/gateway.ts')
  const gateway = await startGateway({})
  await gateway.close()
  await import('../../../support/loaded-last.ts')
  await until('what was loaded is known', () => has('/loaded-last.ts'))
  assert.equal(
    loadedFiles
      .filter(url => url.includes('/plugins/layers/classifier/') && !url.includes('/test/'))
      .map(url => url.split('/').at(-1))
      .sort(),
    ['artifact-file.ts', 'index.ts', 'options.ts', 'rules.ts', 'step-words.ts'],
  )
  assert.not.ok(has('/plugins/models/static/thread.ts'))
  assert.not.ok(has('/plugins/heads/index.ts'))
})

test('one with it loads the classifier', async () => {
  const { startGateway } = await import('../../../support/gateway.ts')
  const settings = { SERVICE__CLASSIFIER_ROUTING__ENABLED: 'true' }
  const gateway = await startGateway({ settings })
  await gateway.close()
  await until('it is loaded', () => has('/classifier/classifier.ts') && has('/plugins/heads/index.ts'))
})

test.run()
