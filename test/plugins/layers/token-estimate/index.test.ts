import { TestExchange } from 'deflector/contracts/host'
import tokenEstimate from '../../../../plugins/layers/token-estimate/index.ts'
import { checkLayer } from '../../../contracts/layer.ts'

// How it counts is proved beside `token-counter.ts`, and what a client gets in `test/gateway/count-tokens.test.ts`.
checkLayer(tokenEstimate, { passesOn: () => new TestExchange() })
