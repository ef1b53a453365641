import { test } from 'uvu'
import * as assert from 'uvu/assert'
import quota from '../../../../plugins/layers/quota/index.ts'
import { checkLayer } from '../../../contracts/layer.ts'

// What it does around calls is proved in `test/gateway/quota.test.ts`.
checkLayer(quota, {
  options: { policies: { acme: { daily_token_limit: 5, action_on_limit: 'block' } }, chain: ['acme'] },
})

test('a policy is for a provider or a vendor of the pipeline', () => {
  const problems = (policies: object): string[] => {
    const parsed = quota.options.safeParse({ policies, chain: ['primary'], vendors: { primary: 'acme' } })
    return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  }
  assert.equal(problems({ primary: {}, acme: {} }), [])
  assert.equal(problems({ other: {} }), [
    'policies.other is no provider or vendor of this pipeline; name one of primary, acme',
  ])
  const named = quota.options.safeParse({ policies: { xai: {} }, chain: ['a'], vendors: { a: 'grok-responses' } })
  assert.ok(named.success)
})

test.run()
