import passThrough from '../../../plugins/layers/pass-through.ts'
import { checkLayer } from '../../contracts/layer.ts'

// How it asks is proved in `test/gateway/vendor-endpoints.test.ts`.
checkLayer(passThrough, {
  options: { chain: ['acme'] },
  around: () => ({ providers: { acme: { complete: () => Promise.reject(new Error('nobody is asked')) } } }),
})
