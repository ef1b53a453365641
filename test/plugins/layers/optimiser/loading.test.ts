import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadedFiles } from '../../../support/loaded-files.ts'
import { until } from '../../../support/until.ts'

const ofLayer = (): string[] =>
  loadedFiles
    .filter(url => url.includes('/plugins/layers/optimiser/') && !url.includes('/test/'))
    .map(url => url.split('/').at(-1) ?? '')
    .sort()

test('a gateway that has it off loads its options and nothing else; one that has it on loads the rest', async () => {
  const { startGateway } = await import('../../../support/gateway.ts')
  await (await startGateway({ settings: { SERVICE__ENABLE_CONTEXT_OPTIMIZER: 'false' } })).close()
  await until('what was loaded is known', () => ofLayer().length >= 3)
  assert.equal(ofLayer(), ['index.ts', 'options.ts', 'step-words.ts'])
  await (await startGateway({})).close()
  await until('the rest is loaded', () => ofLayer().includes('optimiser.ts'))
})

test.run()
