import quota from '../../../../plugins/layers/quota/index.ts'
import { checkLayer } from '../../../contracts/layer.ts'

// What it does around calls is proved in `test/gateway/quota.test.ts`.
checkLayer(quota, {
  options: { policies: { acme: { daily_token_limit: 5, action_on_limit: 'block' } }, chain: ['acme'] },
})
