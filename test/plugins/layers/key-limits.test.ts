import keyLimits from '../../../plugins/layers/key-limits.ts'
import { checkLayer } from '../../contracts/layer.ts'

// What it does is proved in `test/gateway/key-limits.test.ts`.
checkLayer(keyLimits, { options: { limits: { ann: { requests_per_minute: 5, tokens_per_minute: 5 } } } })
